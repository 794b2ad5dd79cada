import { DEFAULT_THRESHOLDS } from '@svc/contracts/verdict';
import { expect, it } from 'vitest';
import { attribute } from '../../attribution/attribute.ts';
import { gateway, path, session, wifi } from '../../testing/readings.ts';
import { createDeviceState, type DeviceState } from './device-state.ts';

const intervals = { wifi: 60_000, gateway: 60_000, path: 300_000, session: 300_000 };
const fresh = (): DeviceState => createDeviceState(() => intervals);
const causeAt = (state: DeviceState, nowMs: number) => attribute(state.readings(nowMs), DEFAULT_THRESHOLDS)?.cause;

it('uses the newest reading of a layer for two of its intervals and no longer', () => {
  const state = fresh();
  state.addWifi(wifi({ rssiDbm: { value: -80 } }), 0);
  state.addGateway(gateway(), 0);
  expect(causeAt(state, 120_000)).toBe('wifi');
  expect(state.readings(120_001).wifi).toEqual({ unavailable: 'asleep' });
  expect(state.readings(120_001).gateway).toEqual({ unavailable: 'asleep' });
  state.addWifi(wifi(), 121_000);
  expect(causeAt(state, 121_000)).toBe('none');
});

it('judges loss over the last 50 probes, across rounds', () => {
  const state = fresh();
  state.addGateway(gateway({ lost: 1, lossRatio: 0.1 }), 0);
  expect(causeAt(state, 0)).toBe('none');
  state.addGateway(gateway({ lost: 1, lossRatio: 0.1 }), 60_000);
  expect(causeAt(state, 60_000)).toBe('local');
  for (let round = 2; round < 7; round++) state.addGateway(gateway(), round * 60_000);
  expect(causeAt(state, 360_000)).toBe('none');
});

it('forgets what was lost on another network', () => {
  const state = fresh();
  state.addGateway(gateway({ lost: 5, lossRatio: 0.5 }), 0);
  state.addPath('203.0.113.10', path({ countedLost: 5 }), 0);
  state.addSession(session({ totalMs: 9000 }), 'target', 0);
  state.addGateway(gateway({ address: '10.0.0.1' }), 60_000);
  expect(causeAt(state, 60_000)).toBe('none');
  expect(state.readings(60_000).sessions).toEqual([]);
});

it('pools the first public hop over all traces, and lets what lies behind bound its delay', () => {
  const state = fresh();
  state.addPath('a', path({ countedLost: 1 }, '203.0.113.10'), 0);
  state.addPath('b', path({ countedLost: 1 }, '203.0.113.11'), 0);
  expect(state.readings(0).path).toMatchObject({ visible: true, isp: { loss: { sent: 20, lost: 2 } } });
  const slowToAnswer = path({ rttAvgMs: 300 });
  const quickBehind = {
    value: {
      ...slowToAnswer.value,
      hops: slowToAnswer.value.hops.map((one) => (one.hop === 3 ? { ...one, rttAvgMs: 14 } : one)),
    },
  };
  const other = fresh();
  other.addPath('a', quickBehind, 0);
  expect(other.readings(0).path).toMatchObject({ isp: { rttMs: 14 } });
});

it('forgives a gateway that answers no probe while something behind it answers, and not otherwise', () => {
  const silent = gateway({ reachable: false, lost: 10, lossRatio: 1, rttAvgMs: null, rttMinMs: null, rttMaxMs: null });
  const state = fresh();
  state.addGateway(silent, 0);
  expect(causeAt(state, 0)).toBe('local');
  state.addSession(session({ url: 'https://localhost:8443/healthz' }), 'control_plane', 0);
  expect(causeAt(state, 0)).toBe('local');
  state.addSession(session(), 'target', 0);
  expect(causeAt(state, 0)).toBe('none');
  expect(state.readings(0).egressProven).toBe(true);
});

it('drops targets that nobody chooses any more', () => {
  const state = fresh();
  state.addSession(session({ totalMs: 9000 }), 'target', 0);
  state.addPath('203.0.113.10', path(), 0);
  expect(causeAt(state, 0)).toBe('network');
  state.keepTargets([], []);
  expect(state.readings(0).sessions).toEqual([]);
  expect(state.readings(0).path).toEqual({ unavailable: 'no_target' });
});

it('says why Wi-Fi is not there', () => {
  const state = fresh();
  const wired = { unavailable: 'wired' } as const;
  state.addWifi(wifi({ connection: 'wired', rssiDbm: wired, signalPercent: wired, noiseDbm: wired, snrDb: wired }), 0);
  expect(state.readings(0).wifi).toEqual(wired);
});
