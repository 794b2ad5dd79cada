import { decodeVerdict } from '@svc/contracts/judged/codec';
import type { Cause } from '@svc/contracts/verdict';
import { decodeRecord, type EndpointResult } from '@svc/desktop-agent/headless';
import { describe, expect, it } from 'vitest';
import { BACKFILL_STEP_MS } from './backfill.ts';
import { isMeasuring, isSettled, trueCauseAt } from './domain/conditions.ts';
import type { Device } from './domain/device.ts';
import { planFleet } from './domain/plan-fleet.ts';
import { createMeasuringDevice } from './measure-device.ts';

const SEED = 1;
const HOUR = 3_600_000;
const ANCHOR_MS = Date.UTC(2026, 10, 21, 14, 7);
const AGENT = '01890a5d-ac96-774b-bcce-b302099a8057';
/** Two loss windows of 50 probes at 25 a turn: until then old rounds speak with the new. */
const SETTLED_MS = 20 * 60_000;
const every = { wifi: BACKFILL_STEP_MS, gateway: BACKFILL_STEP_MS, path: BACKFILL_STEP_MS, session: BACKFILL_STEP_MS };

interface Turn {
  atMs: number;
  results: EndpointResult[];
}

/** Everything a device sends over the hours before the anchor and one after it. */
function runDevice(device: Device, hours: number): Turn[] {
  const measuring = createMeasuringDevice({ device, agentId: AGENT, seed: SEED, anchorMs: ANCHOR_MS });
  const turns: Turn[] = [];
  for (let atMs = -hours * HOUR; atMs < HOUR; atMs += BACKFILL_STEP_MS) {
    if (!isMeasuring(device, atMs)) continue;
    const records = measuring.measure(ANCHOR_MS + atMs, { depth: 'all', probes: 25, intervals: every });
    turns.push({ atMs, results: records.map((record) => decodeRecord(record).result) });
  }
  return turns;
}

const ofType = ({ results }: Turn, type: string) => results.find((result) => result.canary_type === type);
const causeOf = (turn: Turn) => ofType(turn, 'endpoint.attribution')?.attributes['endpoint.cause'];
const fleet = planFleet(200, SEED);
const first = (is: (device: Device) => boolean): Device => {
  const device = fleet.find(is);
  if (!device) throw new Error('the plan holds no such device');
  return device;
};

describe('attribution agrees with the ground truth', () => {
  const devices: [string, Cause, Device[]][] = [
    ['weak Wi-Fi on a floor', 'wifi', fleet.filter(({ fault }) => fault?.kind === 'weak_wifi')],
    ['a lossy gateway', 'local', fleet.filter(({ fault }) => fault?.kind === 'lossy_gateway')],
    ['a slow provider', 'isp', fleet.filter(({ fault }) => fault?.kind === 'slow_isp')],
    ['a slow service', 'network', fleet.filter(({ fault }) => fault?.kind === 'slow_saas')],
    ['slow behind a tunnel', 'unknown', fleet.filter(({ fault }) => fault?.kind === 'slow_unseen')],
    ['names that are found late', 'network', fleet.filter(({ fault }) => fault?.kind === 'slow_names')],
    ['an expired certificate', 'network', fleet.filter(({ fault }) => fault?.kind === 'expired_certificate')],
    ['a lossy path that nothing in use takes', 'none', fleet.filter(({ fault }) => fault?.kind === 'lossy_path')],
    ['nothing wrong', 'none', fleet.filter(({ fault, index }) => fault === null && index % 8 === 0)],
  ];
  it.each(devices)('%s is %s', (_name, cause, ill) => {
    expect(ill.length).toBeGreaterThan(0);
    for (const device of ill) {
      const settled = runDevice(device, 8).filter(({ atMs }) => isSettled(device, atMs, SETTLED_MS) && atMs > -7 * HOUR);
      const wrong = settled.filter((turn) => causeOf(turn) !== trueCauseAt(device, turn.atMs));
      expect(wrong.map((turn) => [device.name, turn.atMs / HOUR, causeOf(turn)])).toEqual([]);
      if (isMeasuring(device, 0)) expect(settled.some((turn) => causeOf(turn) === cause)).toBe(true);
    }
  });

  it.each([
    ['slow_names', 'dns_slow'],
    ['expired_certificate', 'certificate'],
    ['lossy_path', 'path_loss'],
  ])('names the kind of %s', (fault, kind) => {
    const last = runDevice(
      first((device) => device.fault?.kind === fault),
      2,
    ).at(-1);
    const judged = last && ofType(last, 'endpoint.attribution')?.attributes['endpoint.judged'];
    expect(decodeVerdict(judged ?? '')?.fault?.kind).toBe(kind);
  });

  it('finds the lossy gateway in its episodes and none between them', () => {
    const device = first(({ fault }) => fault?.kind === 'lossy_gateway');
    const causes = new Set(runDevice(device, 24).map(causeOf));
    expect(causes).toEqual(new Set(['none', 'local']));
  });
});

describe('since when', () => {
  const sinceOf = (turn: Turn | undefined) => turn && ofType(turn, 'endpoint.attribution')?.attributes['endpoint.since'];
  const wifi = first(({ fault }) => fault?.kind === 'weak_wifi');
  const known = sinceOf(runDevice(wifi, 2).at(0));

  /** The last turn of a run that begins at this time with what an earlier one kept at another. */
  function restart(seenMs: number, atMs: number): string | undefined {
    const onset = { cause: 'wifi' as const, sinceMs: Date.parse(known ?? '') };
    const deps = { device: wifi, agentId: AGENT, seed: SEED, anchorMs: ANCHOR_MS };
    const measuring = createMeasuringDevice({ ...deps, earlier: { onset, seenMs } });
    const turns = [0, 1].map((turn) =>
      measuring.measure(atMs + turn * BACKFILL_STEP_MS, { depth: 'all', probes: 25, intervals: every }),
    );
    return sinceOf({ atMs, results: (turns.at(-1) ?? []).map((record) => decodeRecord(record).result) });
  }

  it('outlives a restart, unless nobody measured for longer than a cause may come and go', () => {
    expect(known).toBeDefined();
    expect(restart(ANCHOR_MS, ANCHOR_MS + 5 * 60_000)).toBe(known);
    expect(restart(ANCHOR_MS, ANCHOR_MS + HOUR)).not.toBe(known);
  });

  it('is told after each turn to whoever keeps it', () => {
    const told: number[] = [];
    const deps = { device: wifi, agentId: AGENT, seed: SEED, anchorMs: ANCHOR_MS };
    const measuring = createMeasuringDevice({ ...deps, onOnset: ({ seenMs }) => void told.push(seenMs) });
    measuring.measure(ANCHOR_MS, { depth: 'all', probes: 25, intervals: every });
    expect(told).toEqual([ANCHOR_MS]);
  });
});

describe('what a device sends', () => {
  it('is the same again for the same seed, id by id', () => {
    const device = first(({ fault }) => fault === null);
    const [one, two] = [runDevice(device, 2), runDevice(device, 2)];
    expect(one).toEqual(two);
    const ids = one.flatMap(({ results }) => results.map(({ result_id: id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('says that it is simulated, and withholds what a strict device keeps', () => {
    const strict = runDevice(
      first((device) => device.strict && device.connection === 'wifi'),
      1,
    ).at(-1) as Turn;
    expect(strict.results.every(({ attributes }) => attributes['svc.simulated'] === 'true')).toBe(true);
    expect(ofType(strict, 'endpoint.wifi')?.attributes['unavailable.network.wifi.ssid']).toBe('withheld');
    expect(ofType(strict, 'endpoint.gateway')?.attributes['unavailable.network.gateway.address']).toBe('withheld');
    const open = runDevice(
      first((device) => !device.strict && device.connection === 'wifi'),
      1,
    ).at(-1) as Turn;
    expect(ofType(open, 'endpoint.wifi')?.attributes['network.wifi.ssid']).toBe('fennmark-corp');
  });

  it('has gaps where a laptop sleeps and none where a desktop stays on', () => {
    const laptop = first(({ sleep, fault, index }) => sleep !== null && fault === null && index > 26);
    const desktop = first(
      (device) => device.sleep === null && device.connection === 'wired' && device.fault === null && device.index > 26,
    );
    expect(runDevice(laptop, 24).length).toBeLessThan(220);
    expect(runDevice(desktop, 24).length).toBe(300);
  });

  it('tells percent where the radio tells nothing else, and is blamed by it', () => {
    const turn = runDevice(
      first(({ percentOnly }) => percentOnly),
      1,
    ).at(-1) as Turn;
    const wifi = ofType(turn, 'endpoint.wifi');
    expect(wifi?.metrics).not.toHaveProperty('rssi.dbm');
    expect(wifi?.attributes['unavailable.rssi.dbm']).toBe('not_supported');
    expect(wifi?.metrics['signal.percent']).toBeLessThanOrEqual(35);
    expect(causeOf(turn)).toBe('wifi');
  });
});
