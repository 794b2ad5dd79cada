import { DEFAULT_THRESHOLDS } from '@svc/contracts/verdict';
import { describe, expect, it } from 'vitest';
import { attribute } from '../../attribution/attribute.ts';
import { gateway, hop, path, resolver, session, wifi } from '../../testing/readings.ts';
import { createDeviceState, type DeviceState } from './device-state.ts';

const intervals = { wifi: 60_000, gateway: 60_000, path: 300_000, session: 300_000 };
const fresh = (): DeviceState => createDeviceState(() => intervals);
const causeAt = (state: DeviceState, nowMs: number) => attribute(state.readings(nowMs), DEFAULT_THRESHOLDS)?.cause;

it('uses the newest reading of a layer for two of its intervals and no longer', () => {
  const state = fresh();
  state.addWifi(wifi({ rssiDbm: { value: -80 } }), 0);
  state.addGateway(gateway(), 0);
  expect(causeAt(state, 120_000)).toBe('wifi');
  expect(state.readings(120_001).wifi).toEqual({ unavailable: 'no_reading' });
  expect(state.readings(120_001).gateway).toEqual({ unavailable: 'no_reading' });
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

it('blames nobody for two stray packets of one single trace or reading, and somebody for four, or for one each in two', () => {
  const ispAfter = (...losses: number[]) => {
    const state = fresh();
    losses.forEach((countedLost, round) => {
      state.addGateway(gateway(), round * 60_000);
      state.addPath('203.0.113.10', path({ countedLost }), round * 60_000);
    });
    return causeAt(state, (losses.length - 1) * 60_000);
  };
  expect(ispAfter(2)).toBe('none');
  expect(ispAfter(0, 0, 2, 0)).toBe('none');
  expect(ispAfter(4)).toBe('isp');
  expect(ispAfter(1, 0, 1)).toBe('isp');
  const gatewayAfter = (...losses: number[]) => {
    const state = fresh();
    losses.forEach((lost, round) => {
      state.addGateway(gateway({ lost }), round * 60_000);
    });
    return causeAt(state, (losses.length - 1) * 60_000);
  };
  expect(gatewayAfter(0, 2, 0)).toBe('none');
  expect(gatewayAfter(0, 4)).toBe('local');
});

it('takes no answer from before a gateway fell silent as the proof that it forwards, as under an hourly policy', () => {
  const hourly = { ...intervals, path: 3_600_000, session: 3_600_000 };
  const silent = gateway({ reachable: false, lost: 10, lossRatio: 1, rttAvgMs: null, rttMinMs: null, rttMaxMs: null });
  const minute = (n: number): number => n * 60_000;
  const state = createDeviceState(() => hourly);
  state.addSession(session(), 'target', 0);
  state.addPath('203.0.113.10', path(), 0);
  state.addGateway(gateway(), minute(1));
  // One silent reading is a moment.
  state.addGateway(silent, minute(2));
  expect(state.readings(minute(2)).egressProven).toBe(true);
  for (let at = 3; at < 12; at += 1) {
    state.addGateway(silent, minute(at));
    expect(causeAt(state, minute(at))).toBe('local');
  }
  state.addSession(session(), 'target', minute(12));
  expect(state.readings(minute(12)).egressProven).toBe(true);
});

it('believes a gateway that never answers until the next answer from behind it is overdue, and no longer', () => {
  const hourly = { ...intervals, path: 3_600_000, session: 3_600_000 };
  const silent = gateway({ reachable: false, lost: 10, lossRatio: 1, rttAvgMs: null, rttMinMs: null, rttMaxMs: null });
  const state = createDeviceState(() => hourly);
  state.addSession(session(), 'target', 0);
  const at = (nowMs: number): boolean => {
    state.addGateway(silent, nowMs);
    return state.readings(nowMs).egressProven;
  };
  expect(at(60_000)).toBe(true);
  expect(at(3_600_000)).toBe(true);
  expect(at(3_600_000 + 6 * 60_000)).toBe(false);
});

describe('measuring that has only just begun', () => {
  const expected = { traces: true, sessionUrls: ['https://crm.example/', 'https://mail.example/'] };
  const begin = (): DeviceState => createDeviceState(() => intervals, { expects: () => expected });
  const verdictAt = (state: DeviceState, nowMs: number) => attribute(state.readings(nowMs), DEFAULT_THRESHOLDS);
  const measuringAt = (state: DeviceState, nowMs: number) => verdictAt(state, nowMs)?.coverage.measuring;
  const fill = (state: DeviceState, atMs: number): void => {
    state.addPath('203.0.113.10', path(), atMs);
    for (const url of expected.sessionUrls) state.addSession(session({ url }), 'target', atMs);
    state.addResolver(resolver(), atMs);
    state.addGateway(gateway(), atMs);
    state.addWifi(wifi(), atMs);
  };

  it('is said, layer by layer, until those needed have readings', () => {
    const state = begin();
    expect(verdictAt(state, 0)).toMatchObject({ cause: 'none', fault: null, coverage: { measured: [] } });
    expect(measuringAt(state, 0)).toEqual(['wifi', 'local', 'isp', 'network']);
    state.addWifi(wifi(), 100);
    state.addGateway(gateway(), 200);
    state.addSession(session(), 'target', 300);
    expect(measuringAt(state, 400)).toEqual(['isp', 'network']);
    fill(state, 500);
    expect(verdictAt(state, 500)?.coverage).toEqual({
      measured: ['wifi', 'local', 'isp', 'network'],
      needed: ['wifi', 'local', 'isp', 'network'],
    });
  });

  it('waits for nothing that nobody chose, and hides nothing that is slow', () => {
    const bare = createDeviceState(() => intervals, { expects: () => ({ traces: false, sessionUrls: [] }) });
    bare.addWifi(wifi(), 0);
    bare.addGateway(gateway(), 0);
    expect(measuringAt(bare, 0)).toBeUndefined();
    const state = begin();
    state.addSession(session({ totalMs: 9000 }), 'target', 0);
    expect(verdictAt(state, 0)).toMatchObject({ cause: 'unknown', coverage: { measuring: ['wifi', 'local', 'isp'] } });
  });

  it('is over after five minutes, whatever is missing then', () => {
    const state = begin();
    state.addGateway(gateway(), 0);
    expect(measuringAt(state, 200_000)).toEqual(['wifi', 'isp', 'network']);
    state.addGateway(gateway(), 301_000);
    expect(measuringAt(state, 301_000)).toBeUndefined();
    expect(verdictAt(state, 301_000)?.layers.at(-1)?.unavailable).toBe('no_reading');
  });

  it('begins anew after a sleep and in another network', () => {
    for (const leave of ['slept', 'changed'] as const) {
      const state = begin();
      fill(state, 0);
      if (leave === 'slept') state.slept();
      else state.enterNetwork(undefined, true);
      state.addGateway(gateway(), 60_000);
      expect(measuringAt(state, 60_000), leave).toEqual(['wifi', 'isp', 'network']);
    }
  });

  it('keeps all that the first round after a pause measured, in whichever order it comes', () => {
    const state = begin();
    fill(state, 0);
    const wokeMs = 2 * 3_600_000;
    fill(state, wokeMs);
    expect(state.paths(wokeMs)).toHaveLength(1);
    expect(state.readings(wokeMs).resolvers).toHaveLength(1);
    expect(verdictAt(state, wokeMs)).toMatchObject({ cause: 'none', confidence: 1 });
  });
});

it('keeps what was traced to a target whose name is not found once, and to which address its service was opened', () => {
  const state = fresh();
  for (let round = 0; round < 4; round += 1) {
    state.addPath('crm.example', path({}, '203.0.113.10'), round * 60_000);
    state.addSession(session({ address: '203.0.113.10' }), 'target', round * 60_000);
  }
  state.addPath('crm.example', { unavailable: 'not_supported' }, 240_000);
  state.addSession(session({ success: false, errorPhase: 'dns', error: 'EAI_AGAIN' }), 'target', 240_000);
  expect(state.readings(240_000).path).toMatchObject({ visible: true });
  expect(state.readings(240_000).sessions[0]?.addresses).toEqual(['203.0.113.10']);
  state.addPath('crm.example', { unavailable: 'tunnel' }, 250_000);
  expect(state.readings(250_000).path).toEqual({ unavailable: 'tunnel' });
});

it('takes private hops behind the gateway for the local network’s, up to the last before the edge', () => {
  const behind = (lost: number) => {
    const { value } = path({ hop: 4, countedLost: lost });
    const wan = [2, 3].map((at) =>
      hop({
        hop: at,
        address: `10.9.0.${at}`,
        rttAvgMs: 6,
        received: at === 3 ? 10 - lost : 10,
        countedLost: at === 3 ? lost : 0,
      }),
    );
    const [first, edge, far] = value.hops;
    const hops = [first, ...wan, edge && { ...edge, hop: 4 }, far && { ...far, hop: 5 }].filter((one) => one !== undefined);
    const segments = value.segments.map((one) => (one.segment === 'isp-edge' ? { ...one, hop: 4 } : one));
    return { value: { ...value, hops, segments } };
  };
  const state = fresh();
  for (let round = 0; round < 3; round += 1) {
    state.addGateway(gateway(), round * 60_000);
    state.addPath('203.0.113.10', behind(2), round * 60_000);
  }
  expect(state.readings(120_000).path).toMatchObject({ lan: { hop: 3, hops: 5, rttMs: 6, loss: { sent: 30, lost: 6 } } });
  expect(causeAt(state, 120_000)).toBe('local');
  const plain = fresh();
  plain.addPath('203.0.113.10', path(), 0);
  expect(plain.readings(0).path).not.toHaveProperty('lan');
});

it('reads how long connections waited for IPv6 before they went over IPv4', () => {
  const state = fresh();
  const fallen = session({
    family: 4,
    attempts: [
      { family: 6, atMs: 0, error: 'ETIMEDOUT' },
      { family: 4, atMs: 250 },
    ],
  });
  for (let round = 0; round < 3; round += 1) state.addSession(fallen, 'target', round * 60_000);
  expect(state.readings(120_000).sessions[0]).toMatchObject({ fallbackMs: 250 });
});
