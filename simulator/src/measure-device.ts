import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { DEFAULT_THRESHOLDS, type Thresholds } from '@svc/contracts/verdict';
import {
  type AgentCost,
  COLLECT_DEFAULTS,
  COLLECT_NOTHING,
  type Collect,
  costResult,
  createCauseChanges,
  createDeviceState,
  type EndpointResult,
  encodeRecord,
  gatewayResult,
  type IntervalsMs,
  isStillPresent,
  judge,
  minimise,
  type Onset,
  pathResult,
  type Stamp,
  sessionResult,
  strictest,
  wifiResult,
} from '@svc/desktop-agent/headless';
import { conditionsAt } from './domain/conditions.ts';
import type { Device } from './domain/device.ts';
import { TRACE_TARGET } from './domain/plan-fleet.ts';
import { createRandom, hashOf } from './domain/random.ts';
import { createLossMeter, rawGateway, rawPath, rawSession, rawWifi } from './domain/raw-readings.ts';
import { createResultIds } from './result-id.ts';

/** What is measured in one turn: Wi-Fi and gateway alone, or all of it. */
export type Depth = 'near' | 'all';

/** What the tenant's policy says to a device. */
export interface DevicePolicy {
  version: number;
  thresholds: Readonly<Thresholds>;
  collect: Readonly<Collect>;
}

/** The measuring half of one simulated device. */
export interface MeasuringDevice {
  /** One turn at a moment: encoded records for the spool. Moments must rise. */
  measure(atMs: number, turn: { depth: Depth; probes: number; intervals: IntervalsMs }): Buffer[];
  setPolicy(policy: DevicePolicy): void;
  collect(): Readonly<Collect>;
  /** Of the policy in force here; 0 for the defaults. */
  policyVersion(): number;
}

/** What is wrong and since when, as of the last verdict; it outlives a restart as it does on a real device. */
export interface KeptOnset {
  onset: Onset;
  /** Unix time of that verdict, milliseconds. */
  seenMs: number;
}

export interface MeasureDeps {
  device: Device;
  agentId: string;
  seed: number;
  /** Unix time of the scenario's anchor, milliseconds. */
  anchorMs: number;
  /** What an earlier run kept. */
  earlier?: KeptOnset | undefined;
  /** Takes what is wrong after each turn. */
  onOnset?(kept: KeptOnset): void;
}

const HOUR = 3_600_000;

/** What the agent takes of its device: within the bounds of its own bench, a little more with each hour it runs. */
function costAt({ index }: Device, atMs: number, seed: number): AgentCost {
  const random = createRandom(hashOf(seed, 'cost', index, Math.floor(atMs / HOUR)));
  return {
    cpuRatio: random.between(0.0003, 0.0008),
    rssBytes: Math.round(random.between(66, 78) * 1e6),
    sentBytes: Math.round(random.between(1.1, 1.4) * 1e6),
    spoolResults: 0,
    spoolDropped: 0,
  };
}

/**
 * Only readings are made up here. What becomes of them - the loss windows, the blame, the sentence, what may leave the device -
 * is the agent's own code.
 */
export function createMeasuringDevice({ device, agentId, seed, anchorMs, earlier, onOnset }: MeasureDeps): MeasuringDevice {
  let intervals: IntervalsMs = { wifi: 300_000, gateway: 300_000, path: 300_000, session: 300_000 };
  let policy: DevicePolicy = { version: 0, thresholds: DEFAULT_THRESHOLDS, collect: COLLECT_DEFAULTS };
  let onset: Onset | undefined;
  let hasBegun = false;
  let costToldMs = Number.NEGATIVE_INFINITY;
  const state = createDeviceState(() => intervals);
  const changes = createCauseChanges();
  const gatewayLoss = createLossMeter();
  const pathLoss = createLossMeter();
  const idOf = createResultIds(agentId, seed);
  const own = device.strict ? COLLECT_NOTHING : COLLECT_DEFAULTS;
  const collect = (): Collect => strictest(own, policy.collect);

  return {
    setPolicy: (next) => {
      policy = next;
    },
    collect,
    policyVersion: () => policy.version,
    measure(atMs, turn) {
      intervals = turn.intervals;
      const stamp = (what: string): Stamp => ({ resultId: idOf(atMs, what), startedAtMs: atMs });
      const conditions = conditionsAt(device, atMs - anchorMs, seed);
      const wifi = rawWifi(device, conditions);
      const gateway = rawGateway(device, conditions, { probes: turn.probes, loss: gatewayLoss });
      state.addWifi(wifi, atMs);
      state.addGateway(gateway, atMs);
      const results: EndpointResult[] = [wifiResult(wifi, stamp('wifi')), gatewayResult(gateway, stamp('gateway'))];
      if (turn.depth === 'all') {
        const probing = { probes: turn.probes, loss: pathLoss };
        const path = rawPath(device, conditions, { name: TRACE_TARGET, probing });
        state.addPath(TRACE_TARGET, path, atMs);
        results.push(pathResult(TRACE_TARGET, path, stamp('path')));
        for (const [at, url] of device.targets.entries()) {
          const session = rawSession(url, at, conditions);
          state.addSession(session, 'target', atMs);
          results.push(sessionResult(session, 'target', stamp(url)));
        }
      }
      if (!hasBegun && earlier && isStillPresent(earlier.seenMs, atMs)) onset = earlier.onset;
      hasBegun = true;
      const judging = { thresholds: policy.thresholds, previous: onset, flips: changes.count(atMs) };
      const judged = judge(state.readings(atMs), judging, stamp('attribution'));
      if (onset && judged.onset && onset.cause !== judged.onset.cause) changes.note(atMs);
      onset = judged.onset;
      if (onset) onOnset?.({ onset, seenMs: atMs });
      results.push(judged.result);
      if (atMs - costToldMs >= HOUR) {
        costToldMs = atMs;
        results.push(costResult(costAt(device, atMs, seed), stamp('agent')));
      }
      const allowed = collect();
      return results.map((result) => {
        result.attributes[ATTRIBUTES.simulated] = 'true';
        return encodeRecord(minimise(result, allowed));
      });
    },
  };
}
