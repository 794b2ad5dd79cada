import { actorOf } from '@svc/contracts/fault-kinds';
import { DEFAULT_THRESHOLDS } from '@svc/contracts/verdict';
import { describe, expect, it } from 'vitest';
import { attribute, type Verdict } from './attribute.ts';
import type { BeyondReading, Readings, SessionReading } from './readings.ts';

const well = { sent: 50, lost: 0 };
const full: Readings = {
  wifi: { unavailable: 'wired' },
  gateway: { answered: true, rttMs: 3, loss: well },
  path: { isp: { rttMs: 12, loss: well }, visible: true },
  sessions: [],
  egressProven: true,
};
const judge = (change: Partial<Readings>): Verdict => {
  const verdict = attribute({ ...full, ...change }, DEFAULT_THRESHOLDS);
  if (!verdict) throw new Error('no verdict');
  return verdict;
};

describe('private routers behind the gateway', () => {
  const lan = { hop: 2, hops: 6, rttMs: 9, loss: well };
  const isp = { rttMs: 240, loss: { sent: 50, lost: 10 } };

  it('are the local network’s and never the provider’s, be they as far away as its first router may be', () => {
    const lossy = judge({ path: { visible: true, isp, lan: { ...lan, loss: { sent: 50, lost: 10 } } } });
    expect(lossy).toMatchObject({ cause: 'local', fault: { kind: 'lan_loss', hop: 2, hops: 6, value: 0.2 } });
    expect(lossy.decided?.measure).toBe('lan_loss_ratio');
    expect(lossy.confidence).toBeLessThanOrEqual(0.7);
    const late = judge({ path: { visible: true, isp, lan: { ...lan, rttMs: 200 } } });
    expect(late).toMatchObject({ cause: 'local', fault: { kind: 'lan_delay', value: 200 } });
    expect(judge({ path: { visible: true, isp, lan } }).cause).toBe('isp');
    expect(judge({ path: { visible: true, isp: { rttMs: 60, loss: well }, lan: { ...lan, rttMs: 50 } } }).cause).toBe('none');
  });

  it('go after the gateway itself, and are told also where it answers no probe', () => {
    const path = { visible: true, isp, lan: { ...lan, rttMs: 200 } };
    const gateway = { answered: true, rttMs: 90, loss: well };
    expect(judge({ gateway, path }).fault?.kind).toBe('gateway_delay');
    const mute = { answered: false, loss: { sent: 10, lost: 10 } };
    expect(judge({ gateway: mute, path }).fault?.kind).toBe('lan_delay');
    expect(judge({ gateway: mute, path: { ...path, lan } }).layers[1]?.unavailable).toBe('not_supported');
  });
});

const slow: SessionReading = {
  target: 'far.example',
  host: 'far.example',
  role: 'target',
  success: true,
  totalMs: 3300,
  phases: { dns: 700, connect: 700, tls: 1100, ttfb: 800 },
  readings: 5,
};

describe('distance', () => {
  const trace: BeyondReading = {
    target: 'far.example',
    reached: true,
    hops: 6,
    delayAt: { hop: 4, rttMs: 700, addedMs: 650, usualMs: 690 },
  };
  const over = (change: Partial<BeyondReading>, session: Partial<SessionReading> = {}): Verdict =>
    judge({
      path: { isp: { rttMs: 12, loss: well }, visible: true, beyond: [{ ...trace, ...change }] },
      sessions: [{ ...slow, ...session }],
    });

  it('as on other days is nobody’s fault', () => {
    const verdict = over({});
    expect(verdict).toMatchObject({ cause: 'network', fault: { kind: 'distance', value: 700, usual: 690 } });
    expect(actorOf('distance')).toBe('nobody');
  });

  it('is no excuse for a loss, a longer way than usual, a way of which nothing is known, or a slow service', () => {
    expect(over({ lossAt: { hop: 3, loss: { sent: 50, lost: 9 } } }).fault?.kind).toBe('path_loss');
    expect(over({ delayAt: { hop: 4, rttMs: 700, addedMs: 650, usualMs: 200 } }).fault?.kind).toBe('path_delay');
    expect(over({ delayAt: { hop: 4, rttMs: 700, addedMs: 650 } }).fault?.kind).toBe('path_delay');
    const waits = { totalMs: 5000, phases: { ...slow.phases, ttfb: 2500 } };
    expect(over({}, waits).fault?.kind).toBe('service_slow');
  });
});

describe('IPv6 that leads nowhere', () => {
  const quick: SessionReading = { ...slow, totalMs: 500, phases: { dns: 5, connect: 270, tls: 40, ttfb: 60 }, fallbackMs: 250 };

  it('is said, though nothing is slow for it', () => {
    expect(judge({ sessions: [quick] })).toMatchObject({ cause: 'none', fault: { kind: 'ipv6_broken', value: 250 } });
    expect(judge({ sessions: [quick] }).confidence).toBeLessThanOrEqual(0.7);
  });

  it('is that of one service where another connects over it, and nothing where it costs nothing', () => {
    const other = { ...quick, target: 'b.example', fallbackMs: 0, overIpv6: true };
    expect(judge({ sessions: [quick, other] }).fault).toBeNull();
    expect(judge({ sessions: [{ ...quick, fallbackMs: 20 }] }).fault).toBeNull();
    expect(judge({ sessions: [{ ...quick, viaProxy: true }] }).fault).toBeNull();
  });
});
