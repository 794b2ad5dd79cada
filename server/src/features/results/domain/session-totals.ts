import { ATTRIBUTES } from '@svc/contracts/endpoint-results';

/** Of one session what its target is judged by. */
export interface SessionOutcome {
  target: string;
  success?: boolean;
  present: boolean;
  metrics: Readonly<Record<string, number>>;
  attributes: Readonly<Record<string, string>>;
}

export interface TargetTotals {
  target: string;
  count: number;
  failed: number;
  phases: { phase: string | null; count: number }[];
  medianMs: number | null;
  worstMs: number | null;
}

/** The middle of some values, of two middle ones their mean; null for none. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** Counts by phase as a list, most often first, by name on a tie; '' is a failure that does not say where. */
export const listPhases = (counts: Readonly<Record<string, number>>): TargetTotals['phases'] =>
  Object.entries(counts)
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([phase, count]) => ({ phase: phase === '' ? null : phase, count }));

function totalsOf(target: string, sessions: readonly SessionOutcome[]): TargetTotals {
  const failed = sessions.filter(({ success }) => success === false);
  const phases: Record<string, number> = {};
  for (const { attributes } of failed) {
    const phase = attributes[ATTRIBUTES.errorPhase] ?? '';
    phases[phase] = (phases[phase] ?? 0) + 1;
  }
  const times = sessions.flatMap(({ success, metrics }) => {
    const total = metrics['total.ms'];
    return success === false || total === undefined ? [] : [total];
  });
  return {
    target,
    count: sessions.length,
    failed: failed.length,
    phases: listPhases(phases),
    medianMs: median(times),
    worstMs: times.length > 0 ? Math.max(...times) : null,
  };
}

/** Sessions by target, by name; what could not be measured is none. */
export function sumSessions(sessions: readonly SessionOutcome[]): TargetTotals[] {
  const byTarget = Map.groupBy(
    sessions.filter(({ present, success }) => present || success === false),
    ({ target }) => target,
  );
  return [...byTarget].sort(([a], [b]) => (a < b ? -1 : 1)).map(([target, own]) => totalsOf(target, own));
}
