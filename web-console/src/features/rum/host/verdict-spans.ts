import type { RumHost } from '@svc/contracts/rum/views';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { formatDuration, joinWords } from '../../../ui/words/format.ts';

export type VerdictSpan = RumHost['history'][number];
export type SpanKind = 'confirmed' | 'blind' | 'tests' | 'healthy' | 'unjudged';

export const SPAN_WORDS: Readonly<Record<SpanKind, string>> = {
  confirmed: 'Users hurt, tests confirm it',
  blind: 'Users hurt, tests blind',
  tests: 'Tests fail, users fine',
  healthy: 'Healthy',
  unjudged: 'Too few views',
};

/** Healthy from too few views is no verdict. */
export function kindOf({ verdict, sufficient }: Pick<VerdictSpan, 'verdict' | 'sufficient'>): SpanKind {
  if (verdict === 'user_impact_confirmed') return 'confirmed';
  if (verdict === 'user_only_synthetic_blind') return 'blind';
  if (verdict === 'synthetic_only_no_user_impact') return 'tests';
  return sufficient ? 'healthy' : 'unjudged';
}

export interface PlacedSpan extends TimeSpan {
  kind: SpanKind;
}

/** The stretches as far as they lie in the shown time; the open one lasts to its end. */
export function placeSpans(history: readonly VerdictSpan[], shown: TimeSpan): PlacedSpan[] {
  return history.flatMap((one) => {
    const from = Math.max(Date.parse(one.from), shown.from);
    const to = Math.min(one.to === null ? shown.to : Date.parse(one.to), shown.to);
    return to > from ? [{ kind: kindOf(one), from, to }] : [];
  });
}

/** "Users hurt, tests blind for 20 min and healthy for 5 h": the longest of each kind together, in words for who cannot see it. */
export function describeHistory(history: readonly VerdictSpan[], shown: TimeSpan): string {
  const sums = new Map<SpanKind, number>();
  for (const { kind, from, to } of placeSpans(history, shown)) sums.set(kind, (sums.get(kind) ?? 0) + to - from);
  if (sums.size === 0) return 'none';
  return joinWords([...sums].map(([kind, ms]) => `${SPAN_WORDS[kind].toLowerCase()} for ${formatDuration(ms)}`));
}
