import { createHash } from 'node:crypto';
import { COLLECT_KEYS, type Collect, strictest } from '../privacy/collect.ts';
import type { IntervalsMs, Settings } from '../settings.ts';

/** What a person was shown: whom it is sent to, what is collected, from whom, how often. Versions of a policy do not matter. */
export interface Scope {
  /** The control plane's address; null: nobody. */
  server: string | null;
  collect: Readonly<Collect>;
  traceTargets: readonly string[];
  sessionTargets: readonly string[];
  intervals: Readonly<IntervalsMs>;
}

const INTERVALS = ['wifi', 'gateway', 'path', 'session'] as const satisfies readonly (keyof IntervalsMs)[];

export const scopeOf = (settings: Settings, server: string | null): Scope => ({
  server,
  collect: { ...settings.collect },
  traceTargets: [...settings.traceTargets],
  sessionTargets: [...settings.sessionTargets],
  intervals: { ...settings.intervals },
});

/** True where `now` takes more than was shown: another reader, an identifier, a target, a shorter interval. */
export const exceeds = (now: Scope, shown: Scope): boolean =>
  now.server !== shown.server ||
  COLLECT_KEYS.some((key) => now.collect[key] && !shown.collect[key]) ||
  now.traceTargets.some((target) => !shown.traceTargets.includes(target)) ||
  now.sessionTargets.some((target) => !shown.sessionTargets.includes(target)) ||
  INTERVALS.some((name) => now.intervals[name] < shown.intervals[name]);

/** The settings as far as the person has seen them: what a changed policy adds waits until it was shown. */
export const within = (settings: Settings, shown: Scope): Settings => ({
  ...settings,
  collect: strictest(settings.collect, shown.collect),
  traceTargets: settings.traceTargets.filter((target) => shown.traceTargets.includes(target)),
  sessionTargets: settings.sessionTargets.filter((target) => shown.sessionTargets.includes(target)),
  intervals: {
    wifi: Math.max(settings.intervals.wifi, shown.intervals.wifi),
    gateway: Math.max(settings.intervals.gateway, shown.intervals.gateway),
    path: Math.max(settings.intervals.path, shown.intervals.path),
    session: Math.max(settings.intervals.session, shown.intervals.session),
  },
});

/** A short name for exactly this. */
export const scopeId = (scope: Scope): string => createHash('sha256').update(JSON.stringify(scope)).digest('hex').slice(0, 32);

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Reads a kept scope; undefined for what is none. */
export function asScope(value: unknown): Scope | undefined {
  const scope = value as Partial<Scope> | null | undefined;
  if (!scope || !isTexts(scope.traceTargets) || !isTexts(scope.sessionTargets)) return undefined;
  if (scope.server !== null && typeof scope.server !== 'string') return undefined;
  const { collect, intervals } = scope;
  const isWhole =
    COLLECT_KEYS.every((key) => typeof collect?.[key] === 'boolean') &&
    INTERVALS.every((name) => typeof intervals?.[name] === 'number');
  return isWhole ? (scope as Scope) : undefined;
}
