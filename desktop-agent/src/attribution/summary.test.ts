import { decodeJudged, encodeJudged } from '@svc/contracts/judged/codec';
import { type FaultFact, faultFact } from '@svc/contracts/judged/fault';
import { breaksLimit } from '@svc/contracts/judged/measures';
import { faultLayer, readVerdict } from '@svc/contracts/judged/read-verdict';
import { createNumbers } from '@svc/contracts/judged/test-verdicts';
import { DEFAULT_THRESHOLDS } from '@svc/contracts/verdict';
import { describe, expect, it, vi } from 'vitest';
import { attribute, type Verdict } from './attribute.ts';
import { clockWords, nextOnset } from './onset.ts';
import type { Readings } from './readings.ts';
import { judgedVerdict, summarize } from './summary.ts';

const full: Readings = {
  wifi: { rssiDbm: -55 },
  gateway: { answered: true, rttMs: 3.4, loss: { sent: 50, lost: 0 } },
  path: { isp: { rttMs: 12, loss: { sent: 50, lost: 0 } }, visible: true },
  sessions: [],
  egressProven: true,
};
const judge = (change: Partial<Readings>): Verdict => {
  const verdict = attribute({ ...full, ...change }, DEFAULT_THRESHOLDS);
  if (!verdict) throw new Error('no verdict');
  return verdict;
};
const say = (change: Partial<Readings>): string => {
  const words = summarize(judge(change), Date.UTC(2026, 10, 21, 8, 42));
  // Thin spaces and true minus become plain ones here, so that the expectations can be read.
  expect(words).not.toMatch(/\d [%m]/);
  return words
    .replaceAll(/[\u00a0\u202f]/g, ' ')
    .replaceAll('\u2212', '-')
    .replaceAll('2026-11-21 08:42 UTC', 'T');
};

it('sends no local clock: the same sentence leaves in every zone', () => {
  const slow = judge({ gateway: { answered: true, rttMs: 90, loss: { sent: 50, lost: 0 } } });
  const sentences = ['UTC', 'Asia/Kolkata', 'America/St_Johns'].map((zone) => {
    vi.stubEnv('TZ', zone);
    return summarize(slow, Date.UTC(2026, 10, 21, 8, 42));
  });
  vi.unstubAllEnvs();
  expect(new Set(sentences).size).toBe(1);
  expect(sentences[0]?.match(/\d\d:\d\d/g)).toEqual(['08:42']);
  expect(sentences[0]).toContain('2026-11-21 08:42 UTC');
});

describe('the sentence', () => {
  const session = { target: 'crm.example', role: 'target' as const, success: true, totalMs: 2300 };
  const rows: [Partial<Readings>, string][] = [
    [{ wifi: { rssiDbm: -79 } }, 'Slow because of Wi-Fi: signal near -79 dBm since T, too weak for a fast connection.'],
    [{ wifi: { signalPercent: 30 } }, 'Slow because of Wi-Fi: signal near 30% since T, too weak for a fast connection.'],
    [{ wifi: { rssiDbm: -60, noiseDbm: -68 } }, 'Slow because of Wi-Fi: the signal is only 8 dB above the noise since T.'],
    [
      { gateway: { answered: true, rttMs: 3, loss: { sent: 50, lost: 4 } } },
      'Slow because of the local network: the gateway lost 4 of 50 probes (8.0%) since T. Wi-Fi is fine.',
    ],
    [
      { wifi: { unavailable: 'wired' }, gateway: { answered: false, loss: { sent: 5, lost: 5 } }, egressProven: false },
      'Slow because of the local network: the gateway has not answered since T.',
    ],
    [
      { path: { isp: { rttMs: 140, loss: { sent: 50, lost: 0 } }, visible: true } },
      'Slow because of the ISP: its first router has been taking 140 ms to answer since T. Wi-Fi and gateway are fine.',
    ],
    [
      { path: { isp: { rttMs: 133, loss: { sent: 65, lost: 2 } }, visible: true } },
      'Slow because of the ISP: its first router has been taking 133 ms to answer since T. Wi-Fi and gateway are fine.',
    ],
    [
      { sessions: [session] },
      'Slow beyond the ISP: crm.example has been taking 2.3 s to answer since T. Wi-Fi, gateway and ISP are fine.',
    ],
    [
      { sessions: [session], path: { unavailable: 'no_target' } },
      'Slow: cause unknown. crm.example has been taking 2.3 s to answer since T, and the path there cannot be seen from here.',
    ],
    [{ sessions: [{ ...session, totalMs: 200 }] }, 'Healthy: Wi-Fi -55 dBm, gateway 3.4 ms, ISP 12 ms, 1 service under 1.50 s.'],
  ];
  it.each(rows)('%#', (change, words) => {
    expect(say(change)).toBe(words);
  });
});

/** Anything that a device may read, healthy and ill. */
function makeReadings(next: () => number): Readings {
  const loss = () => ({ sent: 10 + Math.floor(next() * 65), lost: Math.floor(next() ** 3 * 10) });
  const session = (target: string) => ({ target, role: 'target' as const, success: next() > 0.1, totalMs: next() ** 2 * 4000 });
  const signal = next() < 0.7 ? { rssiDbm: -50 - 40 * next(), noiseDbm: -70 - 30 * next() } : { signalPercent: 100 * next() };
  return {
    wifi: next() < 0.8 ? signal : { unavailable: 'wired' },
    gateway: next() < 0.9 ? { answered: next() > 0.1, rttMs: 50 * next(), loss: loss() } : { unavailable: 'tunnel' },
    path: next() < 0.8 ? { isp: { rttMs: 160 * next(), loss: loss() }, visible: true } : { unavailable: 'no_target' },
    sessions: next() < 0.8 ? [session('crm.example'), session('mail.example/inbox')] : [],
    egressProven: next() > 0.3,
  };
}

describe('what is sent of a verdict, over generated devices', () => {
  it('gives the same verdict to its readers: the measure named broke its limit, and the fault is of that measure', () => {
    const next = createNumbers(7);
    let slow = 0;
    for (let i = 0; i < 3000; i += 1) {
      const verdict = attribute(makeReadings(next), DEFAULT_THRESHOLDS);
      if (!verdict) continue;
      const own = judgedVerdict(verdict, 0);
      const { decided, layers } = readVerdict({ ...own, measures: decodeJudged(encodeJudged(own.measures)) ?? [] });
      expect(decided).toEqual(readVerdict(own).decided);
      expect(decided === null).toBe(verdict.cause === 'none');
      const at = layers.find(({ layer }) => layer === faultLayer(verdict.cause));
      if (!decided || !at) continue;
      slow += 1;
      expect(breaksLimit(decided)).toBe(true);
      // The score of the layer is that of the measure: every other one that broke its limit is nearer to it.
      expect(at.score).toBeLessThanOrEqual(50);
      const figures = Object.values({ ...verdict.fault, ...('loss' in (verdict.fault ?? {}) ? { value: decided.value } : {}) });
      expect(
        decided.measure === 'gateway_answers' || figures.some((one) => one === decided.value || one === decided.target),
      ).toBe(true);
    }
    expect(slow).toBeGreaterThan(1000);
  });
});

describe('since when', () => {
  it('belongs to the fault and to the stretch or service that it names, not to the cause alone', () => {
    const of = (fault: Partial<FaultFact> & Pick<FaultFact, 'kind'>) => ({ cause: 'network' as const, fault: faultFact(fault) });
    const first = nextOnset(undefined, of({ kind: 'path_loss', hop: 4, target: 'crm.example' }), 1000);
    expect(nextOnset(first, of({ kind: 'path_loss', hop: 4, target: 'mail.example' }), 9000)).toEqual(first);
    expect(nextOnset(first, of({ kind: 'path_loss', hop: 6, target: 'crm.example' }), 9000).sinceMs).toBe(9000);
    expect(nextOnset(first, of({ kind: 'path_delay', hop: 4, target: 'crm.example' }), 9000).sinceMs).toBe(9000);
    const service = nextOnset(undefined, of({ kind: 'service_error', target: 'crm.example' }), 1000);
    expect(nextOnset(service, of({ kind: 'service_error', target: 'crm.example', code: 'HTTP_503' }), 9000)).toEqual(service);
    expect(nextOnset(service, of({ kind: 'service_error', target: 'mail.example' }), 9000).sinceMs).toBe(9000);
    // An earlier version kept no fault.
    expect(nextOnset({ cause: 'network', sinceMs: 5 }, of({ kind: 'dns_slow' }), 9000).sinceMs).toBe(5);
  });

  it('keeps the onset of one cause and starts anew with another', () => {
    const first = nextOnset(undefined, { cause: 'wifi', fault: null }, 1000);
    expect(nextOnset(first, { cause: 'wifi', fault: null }, 9000)).toMatchObject({ cause: 'wifi', sinceMs: 1000 });
    expect(nextOnset(first, { cause: 'none', fault: null }, 9000)).toMatchObject({ cause: 'none', sinceMs: 9000 });
  });

  it('names the day where it is not today', () => {
    const at = new Date(2026, 0, 5, 8, 42).getTime();
    expect(clockWords(at, at + 60_000)).toBe('08:42');
    expect(clockWords(at, at + 30 * 3_600_000)).toBe('2026-01-05 08:42');
  });
});
