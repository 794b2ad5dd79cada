import { canonicalHost } from '@svc/contracts/tests/target';
import type { TestSpec } from '@svc/contracts/tests/test';

export interface RateBounds {
  maxRunsPerSecond: number;
  maxTargetRunsPerSecond: number;
}

/** The host that a test talks to in one spelling; of `dns` the resolver, where it names one. */
export function hostOf({ type, target, params }: TestSpec): string {
  return canonicalHost(type === 'dns' ? (params.resolver ?? `the runner's resolver for ${target}`) : target);
}

/** What a test takes of the bounds of its tenant. */
export interface Load {
  host: string;
  /** Runs a second while it is enabled; of each runner where it runs on as many as there are. */
  rate: number;
  eachRunner: boolean;
}

export function loadOf(test: TestSpec): Load {
  const { interval_seconds: interval, runners } = test;
  const rate = (runners.mode === 'named' ? runners.runners.length : 1) / interval;
  return { host: hostOf(test), rate, eachRunner: runners.mode === 'all' || runners.mode === 'labels' };
}

/** Runs a second of one test over all its runners; `runners` is how many the tenant has. */
export const runsPerSecond = ({ rate, eachRunner }: Load, runners: number): number =>
  eachRunner ? rate * Math.max(1, runners) : rate;

/** Floating point adds up a little beside the whole. */
const SLACK = 1e-6;

/** Runs a second of all enabled tests of a tenant, and of those of some hosts. */
export interface Rates {
  total: number;
  byHost: ReadonlyMap<string, number>;
}

/** A sentence that says which bound the tests of a tenant together pass, at these hosts; undefined: none. */
export function findRateFault({ total, byHost }: Rates, bounds: RateBounds): string | undefined {
  if (total > bounds.maxRunsPerSecond + SLACK)
    return `All tests together would run ${total.toFixed(1)} times a second; ${bounds.maxRunsPerSecond} are possible. Choose longer intervals.`;
  for (const [host, rate] of byHost)
    if (rate > bounds.maxTargetRunsPerSecond + SLACK)
      return `Tests of ${host} would run ${rate.toFixed(1)} times a second; ${bounds.maxTargetRunsPerSecond} are possible for one host. Choose longer intervals.`;
  return undefined;
}

/**
 * Ids of the tests that are not run: where all together pass a bound, as may be once a tenant has more runners or a lower bound, the oldest are run
 * and those that would pass it are not.
 */
export function findHeldBack(
  tests: readonly (TestSpec & { id: string })[],
  { runners, bounds }: { runners: number; bounds: RateBounds },
): ReadonlySet<string> {
  const held = new Set<string>();
  const rated = tests
    .filter(({ enabled }) => enabled)
    .map((test) => {
      const load = loadOf(test);
      return { id: test.id, rate: runsPerSecond(load, runners), host: load.host };
    });
  const byHost = new Map<string, number>();
  for (const { host, rate } of rated) byHost.set(host, (byHost.get(host) ?? 0) + rate);
  const total = rated.reduce((sum, { rate }) => sum + rate, 0);
  const isOver = (rate: number, bound: number): boolean => rate > bound + SLACK;
  if (
    !isOver(total, bounds.maxRunsPerSecond) &&
    ![...byHost.values()].some((rate) => isOver(rate, bounds.maxTargetRunsPerSecond))
  )
    return held;
  let used = 0;
  const usedByHost = new Map<string, number>();
  // An id begins with the time at which it was made.
  for (const { id, rate, host } of rated.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const ofHost = (usedByHost.get(host) ?? 0) + rate;
    if (isOver(used + rate, bounds.maxRunsPerSecond) || isOver(ofHost, bounds.maxTargetRunsPerSecond)) {
      held.add(id);
      continue;
    }
    used += rate;
    usedByHost.set(host, ofHost);
  }
  return held;
}
