import { type Cause, DEFAULT_THRESHOLDS } from '@svc/contracts/verdict';
import { describe, expect, it } from 'vitest';
import { attribute } from './attribute.ts';
import type { Readings, SessionReading } from './readings.ts';

const full: Readings = {
  wifi: { rssiDbm: -55, noiseDbm: -95 },
  gateway: { answered: true, rttMs: 3, loss: { sent: 50, lost: 0 } },
  path: { isp: { rttMs: 12, loss: { sent: 50, lost: 0 } }, visible: true },
  sessions: [],
  egressProven: true,
};
const slow: SessionReading = { target: 'crm.example', role: 'target', success: true, totalMs: 2300 };
const quick: SessionReading = { ...slow, totalMs: 240 };
const blame = (change: Partial<Readings>): Cause | undefined => attribute({ ...full, ...change }, DEFAULT_THRESHOLDS)?.cause;

describe('each row of the table of verdicts', () => {
  const rows: [string, Partial<Readings>, Cause][] = [
    ['RSSI at the threshold', { wifi: { rssiDbm: -75 } }, 'wifi'],
    ['RSSI just above', { wifi: { rssiDbm: -74 } }, 'none'],
    ['percent at the threshold where only percent is available', { wifi: { signalPercent: 35 } }, 'wifi'],
    ['percent just above', { wifi: { signalPercent: 36 } }, 'none'],
    ['a low percent is not judged beside a good RSSI', { wifi: { rssiDbm: -60, signalPercent: 10 } }, 'none'],
    ['noise: less than 15 dB above it', { wifi: { rssiDbm: -70, noiseDbm: -84 } }, 'wifi'],
    ['noise: exactly 15 dB above it', { wifi: { rssiDbm: -70, noiseDbm: -85 } }, 'none'],
    ['gateway unreachable', { gateway: { answered: false, loss: { sent: 10, lost: 10 } }, egressProven: false }, 'local'],
    ['gateway silent yet forwarding', { gateway: { answered: false, loss: { sent: 10, lost: 10 } } }, 'none'],
    ['gateway lossy', { gateway: { answered: true, rttMs: 3, loss: { sent: 50, lost: 2 } } }, 'local'],
    ['one lost probe proves nothing', { gateway: { answered: true, rttMs: 3, loss: { sent: 25, lost: 1 } } }, 'none'],
    ['two of many stay under the ratio', { gateway: { answered: true, rttMs: 3, loss: { sent: 200, lost: 2 } } }, 'none'],
    ['gateway at 25 ms', { gateway: { answered: true, rttMs: 25, loss: { sent: 50, lost: 0 } } }, 'local'],
    ['gateway under 25 ms', { gateway: { answered: true, rttMs: 24.9, loss: { sent: 50, lost: 0 } } }, 'none'],
    ['first public hop at 80 ms', { path: { isp: { rttMs: 80, loss: { sent: 50, lost: 0 } }, visible: true } }, 'isp'],
    ['first public hop under 80 ms', { path: { isp: { rttMs: 79, loss: { sent: 50, lost: 0 } }, visible: true } }, 'none'],
    ['first public hop lossy', { path: { isp: { rttMs: 9, loss: { sent: 50, lost: 3 } }, visible: true } }, 'isp'],
    ['local path healthy, session slow', { sessions: [quick, slow] }, 'network'],
    ['session at exactly 1500 ms', { sessions: [{ ...slow, totalMs: 1500 }] }, 'network'],
    ['session failed', { sessions: [{ ...slow, success: false, totalMs: 10 }] }, 'network'],
    ['session quick', { sessions: [quick] }, 'none'],
    ['slow session, no path at all', { path: { unavailable: 'no_target' }, sessions: [slow] }, 'unknown'],
    ['slow session, path sees nothing', { path: { visible: false }, sessions: [slow] }, 'unknown'],
    ['slow session to a target without public hop', { path: { visible: true }, sessions: [slow] }, 'network'],
    ['nothing slow and no sessions', {}, 'none'],
  ];
  it.each(rows)('%s', (_name, change, cause) => {
    expect(blame(change)).toBe(cause);
  });
});

describe('a gateway that suffers behind a radio near its limit', () => {
  const lossy = { gateway: { answered: true, rttMs: 3, loss: { sent: 50, lost: 10 } } };
  const late = { gateway: { answered: true, rttMs: 90, loss: { sent: 50, lost: 0 } } };

  it('is said as Wi-Fi: a signal that alone would do is what loses', () => {
    for (const change of [lossy, late]) {
      expect(blame({ ...change, wifi: { rssiDbm: -73 } })).toBe('wifi');
      expect(blame({ ...change, wifi: { signalPercent: 40 } })).toBe('wifi');
      expect(blame({ ...change, wifi: { rssiDbm: -66, noiseDbm: -83 } })).toBe('wifi');
    }
    const verdict = attribute({ ...full, ...lossy, wifi: { rssiDbm: -73 } }, DEFAULT_THRESHOLDS);
    expect(verdict).toMatchObject({ fault: { kind: 'wifi_signal' }, decided: { measure: 'wifi_rssi_dbm', value: -73 } });
    expect(verdict?.confidence).toBeLessThanOrEqual(0.7);
  });

  it('is the local network’s fault where the radio is good or silent about itself, or the gateway is gone', () => {
    expect(blame({ ...lossy, wifi: { rssiDbm: -60 } })).toBe('local');
    expect(blame({ ...lossy, wifi: { unavailable: 'permission' } })).toBe('local');
    const gone = { gateway: { answered: false, loss: { sent: 10, lost: 10 } }, egressProven: false };
    expect(blame({ ...gone, wifi: { rssiDbm: -73 } })).toBe('local');
  });
});

describe('the walk', () => {
  it('blames the closest of several impaired layers and still scores those behind it', () => {
    const all: Readings = {
      wifi: { rssiDbm: -82 },
      gateway: { answered: true, rttMs: 90, loss: { sent: 50, lost: 9 } },
      path: { isp: { rttMs: 200, loss: { sent: 50, lost: 9 } }, visible: true },
      sessions: [slow],
      egressProven: true,
    };
    const order: Cause[] = [];
    const heal: Partial<Readings>[] = [{ wifi: full.wifi }, { gateway: full.gateway }, { path: full.path }, { sessions: [] }];
    let now = all;
    for (const step of heal) {
      const verdict = attribute(now, DEFAULT_THRESHOLDS);
      order.push(verdict?.cause ?? 'none');
      expect(verdict?.layers.every((state) => state.score !== null)).toBe(true);
      now = { ...now, ...step };
    }
    expect(order).toEqual(['wifi', 'local', 'isp', 'network']);
    expect(blame({})).toBe('none');
  });

  it('takes its thresholds from policy', () => {
    const strict = { ...DEFAULT_THRESHOLDS, wifiRssiDbm: -50 };
    expect(attribute(full, strict)?.cause).toBe('wifi');
  });

  it('never judges the control plane’s own session', () => {
    expect(blame({ sessions: [{ ...slow, role: 'control_plane', success: false }] })).toBe('none');
  });

  it('lets the far layers be judged on a cable, through a tunnel and without Wi-Fi permission', () => {
    expect(blame({ wifi: { unavailable: 'wired' }, sessions: [slow] })).toBe('network');
    expect(blame({ gateway: { unavailable: 'tunnel' }, path: { unavailable: 'tunnel' }, sessions: [slow] })).toBe('unknown');
    expect(blame({ wifi: { unavailable: 'permission' } })).toBe('none');
  });

  it('says nothing where nothing was measured', () => {
    const nothing: Readings = {
      wifi: { unavailable: 'wired' },
      gateway: { unavailable: 'not_supported' },
      path: { unavailable: 'no_target' },
      sessions: [],
      egressProven: false,
    };
    expect(attribute(nothing, DEFAULT_THRESHOLDS)).toBeUndefined();
  });
});

describe('scores and confidence', () => {
  it('puts impaired layers at or under 50, healthy ones above, unmeasured ones at null with the reason', () => {
    const verdict = attribute({ ...full, wifi: { rssiDbm: -79 }, path: { unavailable: 'no_target' } }, DEFAULT_THRESHOLDS);
    const [wifi, local, isp, network] = verdict?.layers ?? [];
    expect(wifi?.score).toBeLessThanOrEqual(50);
    expect(local?.score).toBeGreaterThan(50);
    expect(isp).toMatchObject({ score: null, unavailable: 'no_target' });
    expect(network).toMatchObject({ score: null, unavailable: 'no_target' });
  });

  it('rises with distance from the threshold and falls with gaps before the blame', () => {
    const of = (change: Partial<Readings>): number => attribute({ ...full, ...change }, DEFAULT_THRESHOLDS)?.confidence ?? -1;
    expect(of({ wifi: { rssiDbm: -90 } })).toBeGreaterThan(of({ wifi: { rssiDbm: -76 } }));
    const far = { gateway: { answered: true, rttMs: 60, loss: { sent: 50, lost: 0 } } };
    expect(of(far)).toBeGreaterThan(of({ ...far, wifi: { unavailable: 'permission' } }));
    expect(of(far)).toBe(of({ ...far, wifi: { unavailable: 'wired' } }));
    expect(of({ sessions: [quick] })).toBe(1);
    expect(of({ path: { unavailable: 'no_target' }, sessions: [slow] })).toBeLessThan(0.5);
  });

  it('stays within 0 to 1 and 0 to 100 for any reading', () => {
    for (let i = 0; i < 2000; i++) {
      const r = (n: number): number => Math.random() * n;
      const verdict = attribute(
        {
          wifi: { rssiDbm: -r(120), noiseDbm: -r(120) },
          gateway: { answered: true, rttMs: r(4000), loss: { sent: 50, lost: Math.floor(r(50)) } },
          path: { isp: { rttMs: r(4000), loss: { sent: 50, lost: Math.floor(r(50)) } }, visible: true },
          sessions: [{ ...slow, totalMs: r(60_000) }],
          egressProven: true,
        },
        DEFAULT_THRESHOLDS,
      );
      expect(verdict?.confidence).toBeGreaterThanOrEqual(0);
      expect(verdict?.confidence).toBeLessThanOrEqual(1);
      for (const state of verdict?.layers ?? []) {
        expect(state.score).toBeGreaterThanOrEqual(0);
        expect(state.score).toBeLessThanOrEqual(100);
        expect(state.decided === null).toBe((state.score ?? 0) > 50);
      }
    }
  });
});
