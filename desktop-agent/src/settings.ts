import type { Policy } from '@svc/contracts/policy';
import { DEFAULT_THRESHOLDS, type Thresholds } from '@svc/contracts/verdict';
import type { AgentConfig } from './config.ts';
import { COLLECT_DEFAULTS, type Collect, strictest } from './privacy/collect.ts';

/** How often each kind of measurement is taken, milliseconds. */
export interface IntervalsMs {
  wifi: number;
  gateway: number;
  path: number;
  session: number;
}

/** What is in force on this device: its own configuration and the tenant's policy as one. */
export interface Settings {
  policyVersion: number;
  collect: Readonly<Collect>;
  traceTargets: readonly string[];
  sessionTargets: readonly string[];
  intervals: Readonly<IntervalsMs>;
  thresholds: Readonly<Thresholds>;
}

/** The policy of a device that has none yet; the same defaults as contracts/policy, which loads a schema that this does not. */
export const DEFAULT_POLICY: Readonly<Policy> = Object.freeze({
  version: 0,
  traceTargets: [],
  sessionTargets: [],
  wifiIntervalSeconds: 60,
  gatewayIntervalSeconds: 60,
  pathIntervalSeconds: 300,
  sessionIntervalSeconds: 300,
  // The tenant may allow everything: what the device itself does not give stays here all the same.
  collect: { ...COLLECT_DEFAULTS },
  thresholds: { ...DEFAULT_THRESHOLDS },
  maxPauseMinutes: 1440,
  mustAccept: false,
  tellShared: false,
});

const union = (own: readonly string[], others: readonly string[], max: number): string[] =>
  [...new Set([...own, ...others])].slice(0, max);

/** Nobody at the device kept anything back. */
const NO_SWITCH: Readonly<Collect> = { ssid: true, gatewayIp: true, deviceName: true, hostFacts: true, publicHops: true };

/**
 * Collection is the strictest of device, tenant and person (`switches`), targets are the union, an interval is the device's own where
 * it has one.
 */
export function settingsOf(config: Readonly<AgentConfig>, policy: Readonly<Policy>, switches = NO_SWITCH): Settings {
  return {
    policyVersion: policy.version,
    collect: strictest(strictest(config.collect, policy.collect), switches),
    traceTargets: union(config.traceTargets, policy.traceTargets, 8),
    sessionTargets: union(config.sessionTargets, policy.sessionTargets, 32),
    intervals: {
      wifi: (config.wifiIntervalSeconds ?? policy.wifiIntervalSeconds) * 1000,
      gateway: (config.gatewayIntervalSeconds ?? policy.gatewayIntervalSeconds) * 1000,
      path: (config.pathIntervalSeconds ?? policy.pathIntervalSeconds) * 1000,
      session: (config.sessionIntervalSeconds ?? policy.sessionIntervalSeconds) * 1000,
    },
    thresholds: policy.thresholds,
  };
}
