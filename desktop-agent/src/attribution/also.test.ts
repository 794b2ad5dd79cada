import { readVerdict } from '@svc/contracts/judged/read-verdict';
import { DEFAULT_THRESHOLDS } from '@svc/contracts/verdict';
import { describe, expect, it } from 'vitest';
import { attribute, type Verdict } from './attribute.ts';
import type { Readings, SessionReading } from './readings.ts';
import { judgedVerdict, summarize } from './summary.ts';

const lossyPath = { target: '203.0.113.10', reached: true, hops: 5, lossAt: { hop: 3, loss: { sent: 50, lost: 10 } } };
const full: Readings = {
  wifi: { unavailable: 'wired' },
  gateway: { answered: true, rttMs: 3, loss: { sent: 50, lost: 0 } },
  path: { isp: { rttMs: 12, loss: { sent: 50, lost: 0 } }, visible: true },
  sessions: [],
  egressProven: true,
};
const lossy: Readings['path'] = { isp: { rttMs: 12, loss: { sent: 50, lost: 0 } }, visible: true, beyond: [lossyPath] };
const quick: SessionReading = {
  target: 'crm.example',
  role: 'target',
  success: true,
  totalMs: 240,
  isSecure: true,
  readings: 5,
  phases: { dns: 5, connect: 20, tls: 40, ttfb: 120 },
};
const slow = (target: string): SessionReading => ({
  ...quick,
  target,
  totalMs: 3300,
  phases: { dns: 5, connect: 1100, tls: 1200, ttfb: 950 },
});
const expired: SessionReading = {
  ...quick,
  target: 'old.example',
  success: false,
  totalMs: 90,
  failure: { phase: 'tls', code: 'CERT_HAS_EXPIRED' },
};
const judge = (change: Partial<Readings>): Verdict => {
  const verdict = attribute({ ...full, ...change }, DEFAULT_THRESHOLDS);
  if (!verdict) throw new Error('no verdict');
  return verdict;
};

describe('one odd service', () => {
  it('does not hide what hurts all others, and is named second', () => {
    const verdict = judge({ path: lossy, sessions: [expired, slow('crm.example'), slow('mail.example')] });
    expect(verdict).toMatchObject({
      cause: 'network',
      fault: { kind: 'path_loss' },
      also: { kind: 'certificate', target: 'old.example' },
      decided: { measure: 'session_total_ms', samples: 3, failed: 3 },
    });
    expect(readVerdict(judgedVerdict(verdict, 0)).decided?.measure).toBe('session_total_ms');
    expect(summarize(verdict)).toContain('Apart from that: The certificate of old.example has expired.');
  });

  it('does so also where nothing shows why the others are slow', () => {
    const verdict = judge({ sessions: [expired, slow('crm.example'), slow('mail.example')] });
    expect(verdict.fault?.target).not.toBe('old.example');
    expect(verdict.also).toMatchObject({ kind: 'certificate' });
    expect(verdict.confidence).toBeLessThanOrEqual(0.7);
  });

  it('stays first where it is no odd one, and the other is named second', () => {
    const alone = judge({ path: lossy, sessions: [expired, slow('crm.example'), quick] });
    expect(alone).toMatchObject({ fault: { kind: 'certificate' }, also: { kind: 'path_loss' } });
    expect(judge({ sessions: [expired, quick, { ...quick, target: 'b' }] })).toMatchObject({
      fault: { kind: 'certificate' },
      also: null,
    });
  });
});

describe('a fault that tells by itself where it is', () => {
  it('is named second behind a nearer layer that breaks its limit barely', () => {
    const gateway = { answered: true, rttMs: 25.1, loss: { sent: 50, lost: 0 } };
    const verdict = judge({ gateway, sessions: [expired] });
    expect(verdict).toMatchObject({ cause: 'local', fault: { kind: 'gateway_delay' }, also: { kind: 'certificate' } });
  });

  it('is not blamed on the newest reading of a nearer layer', () => {
    const newest = { wifi: full.wifi, gateway: { answered: true, rttMs: 26, loss: { sent: 50, lost: 0 } } };
    const refused = { ...expired, failure: { phase: 'connect' as const, code: 'ECONNREFUSED' } };
    const late = { ...quick, totalMs: 2600, phases: { dns: 5, connect: 20, tls: 40, ttfb: 2500 } };
    const stuck = { ...expired, largeLost: true, failure: { phase: 'tls' as const, code: 'ETIMEDOUT' } };
    for (const session of [refused, late, stuck]) expect(judge({ newest, sessions: [session] }).cause).toBe('network');
    expect(judge({ newest, sessions: [slow('crm.example')] }).cause).toBe('local');
  });

  it('is told where the whole only just keeps its limit', () => {
    const names = { ...quick, totalMs: 1490, phases: { dns: 1400, connect: 20, tls: 30, ttfb: 40 } };
    const delayed = { ...lossyPath, lossAt: undefined, delayAt: { hop: 3, rttMs: 90, addedMs: 80, usualMs: 20 } };
    const { lossAt: _, ...late } = delayed;
    const both = judge({ sessions: [names], path: { ...lossy, beyond: [late] } });
    expect(both).toMatchObject({ cause: 'none', fault: { kind: 'dns_slow', value: 1400 }, also: { kind: 'path_delay' } });
    const service = { ...quick, totalMs: 1490, phases: { dns: 5, connect: 20, tls: 30, ttfb: 1430 } };
    expect(judge({ sessions: [service] })).toMatchObject({ cause: 'none', fault: { kind: 'service_slow' } });
    expect(judge({ sessions: [service] }).confidence).toBeLessThanOrEqual(0.7);
    const asEveryDay = { ...service, usual: { ttfb: 1400, total: 1450 } };
    expect(judge({ sessions: [asEveryDay] })).toMatchObject({ cause: 'none', fault: null });
  });

  it('is told where its phase only just keeps its own limit and is most of a slow whole', () => {
    const names = { ...quick, totalMs: 1510, phases: { dns: 990, connect: 150, tls: 150, ttfb: 200 }, usual: { dns: 350 } };
    expect(judge({ sessions: [names] })).toMatchObject({ cause: 'network', fault: { kind: 'dns_slow', value: 990 } });
  });
});
