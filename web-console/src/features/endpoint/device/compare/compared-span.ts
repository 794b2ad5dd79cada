import type { TimeSpan } from '../../../../ui/charts/brush-span.ts';
import type { Comparison } from '../device-search.ts';

const HOUR_MS = 3_600_000;

/**
 * The time that another is compared with. `hour`: the hour before it begins; up to now, where nothing was chosen, that would be far from
 * what is shown, which is the state of now: there it is the hour that ended an hour ago.
 */
export function comparedSpan(kind: Comparison, { from, to }: TimeSpan, isChosen: boolean): TimeSpan {
  if (kind === 'yesterday') return { from: from - 24 * HOUR_MS, to: to - 24 * HOUR_MS };
  return isChosen ? { from: from - HOUR_MS, to: from } : { from: to - 2 * HOUR_MS, to: to - HOUR_MS };
}
