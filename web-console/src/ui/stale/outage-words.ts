import { formatMoment } from '../words/format.ts';
import type { Outage } from './outage.ts';

/** "in 5 s" until the next try, or that it is under way. */
export function describeNextTry(outage: Outage, now: number): string {
  const left = Math.ceil(((outage.nextTryAt ?? now) - now) / 1000);
  return left > 0 ? `Trying again in ${left}\u00a0s.` : 'Trying again now.';
}

const asOf = ({ isPart, shownAt, since }: Outage, now: number): string => {
  if (shownAt === undefined) return `Part of this page is missing since ${formatMoment(since, now)}`;
  return `${isPart ? 'Part of this page is shown' : 'Shown'} as of ${formatMoment(shownAt, now)}`;
};

/** One sentence or two on what is shown while the server does not answer; `isChanged`: the reader has asked for something else since. */
export function describeOutage(outage: Outage, now: number, isChanged = false): string {
  const { refusal, isEarlier, isMissing, shownAt } = outage;
  const why = refusal === undefined ? 'the server has not answered since.' : `since then the server says: ${refusal}`;
  const changed = isChanged && isEarlier ? ' Your last change takes effect when it answers.' : '';
  const missing = isMissing && shownAt !== undefined ? ' What is missing comes when it answers.' : '';
  return `${asOf(outage, now)}; ${why}${changed}${missing}`;
}
