import { traceHostFault } from '@svc/contracts/endpoint/trace-host';
import type { Collect, Policy } from '@svc/contracts/policy';
import type { Thresholds } from '@svc/contracts/verdict';
import { ApiError } from '../../api.ts';

/** The policy as the form holds it: text as typed, parsed when saved. */
export interface PolicyDraft {
  traceTargets: string;
  sessionTargets: string;
  intervals: Record<IntervalKey, string>;
  collect: Collect;
  thresholds: Record<keyof Thresholds, string>;
  maxPauseMinutes: string;
  mustAccept: boolean;
  tellShared: boolean;
}

export type IntervalKey = 'wifiIntervalSeconds' | 'gatewayIntervalSeconds' | 'pathIntervalSeconds' | 'sessionIntervalSeconds';

interface NumberRule {
  label: string;
  unit: string;
  min: number;
  max: number;
  /** Shown as percent, kept as a ratio. */
  ratio?: boolean;
}

export const INTERVALS: Readonly<Record<IntervalKey, NumberRule>> = {
  wifiIntervalSeconds: { label: 'Wi-Fi', unit: 's', min: 1, max: 3600 },
  gatewayIntervalSeconds: { label: 'Gateway', unit: 's', min: 1, max: 3600 },
  pathIntervalSeconds: { label: 'Path', unit: 's', min: 5, max: 86_400 },
  sessionIntervalSeconds: { label: 'Sessions', unit: 's', min: 5, max: 86_400 },
};

export const THRESHOLDS: Readonly<Record<keyof Thresholds, NumberRule>> = {
  wifiRssiDbm: { label: 'Weak Wi-Fi at or below', unit: 'dBm', min: -100, max: 0 },
  wifiSignalPercent: { label: 'Weak Wi-Fi at or below, where no dBm is known', unit: '%', min: 0, max: 100 },
  wifiSnrDb: { label: 'Noisy Wi-Fi below', unit: 'dB', min: 0, max: 60 },
  gatewayRttMs: { label: 'Slow gateway from', unit: 'ms', min: 0.1, max: 60_000 },
  gatewayLoss: { label: 'Lossy gateway from', unit: '%', min: 0, max: 100, ratio: true },
  ispRttMs: { label: 'Slow ISP edge from', unit: 'ms', min: 0.1, max: 60_000 },
  ispLoss: { label: 'Lossy ISP edge from', unit: '%', min: 0, max: 100, ratio: true },
  sessionTotalMs: { label: 'Slow session from', unit: 'ms', min: 1, max: 600_000 },
};

export const MAX_PAUSE: NumberRule = { label: 'Longest pause', unit: 'min', min: 15, max: 10_080 };

const MAX_TRACE = 8;
const MAX_SESSIONS = 32;
const number = (value: number): string => String(Number(value.toFixed(4)));

const mapValues = <K extends string, A, B>(record: Readonly<Record<K, A>>, change: (value: A, key: K) => B): Record<K, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value as A, key as K)])) as Record<K, B>;

/** The form's text of a stored policy. */
export const draftOf = (policy: Policy): PolicyDraft => ({
  traceTargets: policy.traceTargets.join('\n'),
  sessionTargets: policy.sessionTargets.join('\n'),
  intervals: mapValues(INTERVALS, (_, key) => number(policy[key])),
  collect: { ...policy.collect },
  thresholds: mapValues(THRESHOLDS, (rule, key) => number(policy.thresholds[key] * (rule.ratio ? 100 : 1))),
  maxPauseMinutes: number(policy.maxPauseMinutes),
  mustAccept: policy.mustAccept,
  tellShared: policy.tellShared,
});

/** What is wrong with a typed number, or undefined. */
export function numberFault(text: string, rule: NumberRule): string | undefined {
  const value = Number(text.replace('−', '-'));
  if (text.trim() === '' || !Number.isFinite(value)) return 'a number';
  return value < rule.min || value > rule.max ? `${rule.min} to ${rule.max}` : undefined;
}

const lines = (text: string): string[] =>
  [...new Set(text.split(/[\n,]/).map((line) => line.trim()))].filter((line) => line !== '');

function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}

/** What is wrong with a list of targets, or undefined. */
export function targetsFault(text: string, kind: 'trace' | 'session'): string | undefined {
  const targets = lines(text);
  const most = kind === 'trace' ? MAX_TRACE : MAX_SESSIONS;
  if (targets.length > most) return `at most ${most}`;
  if (kind === 'trace') return targets.map(traceHostFault).find((fault) => fault !== undefined);
  const wrong = targets.find((target) => !isWebAddress(target));
  return wrong === undefined ? undefined : `“${wrong}” is not an http or https address.`;
}

/** Every fault of the draft, by field; empty when it may be saved. */
export function draftFaults(draft: PolicyDraft): string[] {
  const faults: (string | undefined)[] = [
    targetsFault(draft.traceTargets, 'trace'),
    targetsFault(draft.sessionTargets, 'session'),
  ];
  for (const [key, rule] of Object.entries(INTERVALS)) faults.push(numberFault(draft.intervals[key as IntervalKey], rule));
  for (const [key, rule] of Object.entries(THRESHOLDS)) faults.push(numberFault(draft.thresholds[key as keyof Thresholds], rule));
  faults.push(numberFault(draft.maxPauseMinutes, MAX_PAUSE));
  return faults.filter((fault) => fault !== undefined);
}

const parse = (text: string): number => Number(text.replace('−', '-'));

/** The policy to save; only from a draft without faults. */
export function policyOf(draft: PolicyDraft): Omit<Policy, 'version'> {
  return {
    traceTargets: lines(draft.traceTargets),
    sessionTargets: lines(draft.sessionTargets),
    ...mapValues(draft.intervals, (text) => parse(text)),
    collect: draft.collect,
    thresholds: mapValues(draft.thresholds, (text, key) => parse(text) / (THRESHOLDS[key].ratio ? 100 : 1)),
    maxPauseMinutes: Math.round(parse(draft.maxPauseMinutes)),
    mustAccept: draft.mustAccept,
    tellShared: draft.tellShared,
  };
}

/** The faults that the server found in what was sent, by the list of targets that holds them. */
export function targetFaults(error: unknown): Partial<Record<'traceTargets' | 'sessionTargets', string>> {
  if (!(error instanceof ApiError)) return {};
  const of = (list: string): string =>
    error.faults.flatMap(({ path, message }) => (path.startsWith(`policy.${list}.`) ? [message] : [])).join(' ');
  const found = { traceTargets: of('traceTargets'), sessionTargets: of('sessionTargets') };
  return Object.fromEntries(Object.entries(found).filter(([, message]) => message !== ''));
}
