import { DEFAULT_THRESHOLDS } from '@svc/contracts/verdict';
import { describe, expect, it } from 'vitest';
import { attribute } from './attribute.ts';
import { clockWords, nextOnset } from './onset.ts';
import type { Readings } from './readings.ts';
import { summarize } from './summary.ts';

const full: Readings = {
  wifi: { rssiDbm: -55 },
  gateway: { answered: true, rttMs: 3.4, loss: { sent: 50, lost: 0 } },
  path: { isp: { rttMs: 12, loss: { sent: 50, lost: 0 } }, visible: true },
  sessions: [],
  egressProven: true,
};
const say = (change: Partial<Readings>): string => {
  const verdict = attribute({ ...full, ...change }, DEFAULT_THRESHOLDS);
  if (!verdict) throw new Error('no verdict');
  const words = summarize(verdict, { since: '08:42', sessionTotalMs: 1500 });
  // Thin spaces and true minus become plain ones here, so that the expectations can be read.
  expect(words).not.toMatch(/\d [%m]/);
  return words.replaceAll('\u2009', ' ').replaceAll('\u2212', '-');
};

describe('the sentence', () => {
  const session = { target: 'crm.example', role: 'target' as const, success: true, totalMs: 2300 };
  const rows: [Partial<Readings>, string][] = [
    [{ wifi: { rssiDbm: -79 } }, 'Slow because of Wi-Fi: signal near -79 dBm since 08:42, too weak to hold a fast link.'],
    [{ wifi: { signalPercent: 30 } }, 'Slow because of Wi-Fi: signal near 30 % since 08:42, too weak to hold a fast link.'],
    [
      { wifi: { rssiDbm: -60, noiseDbm: -68 } },
      'Slow because of Wi-Fi: signal -60 dBm is only 8 dB above the noise since 08:42.',
    ],
    [
      { gateway: { answered: true, rttMs: 3, loss: { sent: 50, lost: 4 } } },
      'Slow because of the local network: the gateway lost 4 of 50 probes (8 %) since 08:42. Wi-Fi is fine.',
    ],
    [
      { wifi: { unavailable: 'wired' }, gateway: { answered: false, loss: { sent: 5, lost: 5 } }, egressProven: false },
      'Slow because of the local network: the gateway has not answered since 08:42.',
    ],
    [
      { path: { isp: { rttMs: 140, loss: { sent: 50, lost: 0 } }, visible: true } },
      'Slow because of the ISP: its first router has answered in 140 ms since 08:42. Wi-Fi and gateway are fine.',
    ],
    [{ sessions: [session] }, 'Slow beyond the ISP: crm.example has taken 2300 ms since 08:42. Wi-Fi, gateway and ISP are fine.'],
    [
      { sessions: [session], path: { unavailable: 'no_target' } },
      'Slow: cause unknown. crm.example has taken 2300 ms since 08:42, and the path there cannot be seen from here.',
    ],
    [{ sessions: [{ ...session, totalMs: 200 }] }, 'Healthy: Wi-Fi -55 dBm, gateway 3.4 ms, ISP 12 ms, 1 service under 1500 ms.'],
  ];
  it.each(rows)('%#', (change, words) => {
    expect(say(change)).toBe(words);
  });
});

describe('since when', () => {
  it('keeps the onset of one cause and starts anew with another', () => {
    const first = nextOnset(undefined, 'wifi', 1000);
    expect(nextOnset(first, 'wifi', 9000)).toEqual({ cause: 'wifi', sinceMs: 1000 });
    expect(nextOnset(first, 'none', 9000)).toEqual({ cause: 'none', sinceMs: 9000 });
  });

  it('names the day where it is not today', () => {
    const at = new Date(2026, 0, 5, 8, 42).getTime();
    expect(clockWords(at, at + 60_000)).toBe('08:42');
    expect(clockWords(at, at + 30 * 3_600_000)).toBe('2026-01-05 08:42');
  });
});
