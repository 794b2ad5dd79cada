import type { Browser, Rating, RejectReason, RumVerdict, Vital } from '@svc/contracts/rum/kinds';
import type { RumRow } from '@svc/contracts/rum/views';
import type { IconName } from '../../ui/controls/icons.tsx';
import { RUM_VERDICT_ICONS, RUM_VERDICT_WORDS } from '../../ui/rum/verdict-words.ts';
import { formatCount, formatMs, formatSigned } from '../../ui/words/format.ts';

export const VITAL_NAMES: Readonly<Record<Vital, { short: string; long: string }>> = {
  lcp: { short: 'LCP', long: 'largest paint' },
  inp: { short: 'INP', long: 'answer to input' },
  cls: { short: 'CLS', long: 'layout shift' },
  ttfb: { short: 'TTFB', long: 'first byte' },
  fcp: { short: 'FCP', long: 'first paint' },
  load: { short: 'Load', long: 'page loaded' },
};

export const RATING_WORDS: Readonly<Record<Rating, string>> = {
  good: 'good',
  needs_improvement: 'needs improvement',
  poor: 'poor',
};

export const BROWSER_NAMES: Readonly<Record<Browser, string>> = {
  ...{ chrome: 'Chrome', firefox: 'Firefox', safari: 'Safari', edge: 'Edge', other: 'Other' },
};

export const REASON_NAMES: Readonly<Record<RejectReason, string>> = {
  no_consent: 'No consent in it',
  malformed: 'Malformed',
  invalid_field: 'Field outside the schema',
  unknown_key: 'Unknown key',
  too_large: 'Too large',
  over_rate: 'Over the rate',
};

/** A vital with its unit: 5.2 s, 168 ms; a layout shift has none. */
export const formatVital = (vital: Vital, value: number): string => (vital === 'cls' ? formatSigned(value, 2) : formatMs(value));

/** A bound as people write it: 2.5 s and not 2.50 s, 0.25. */
export function boundWords(vital: Vital, value: number): string {
  if (vital === 'cls') return String(value);
  return value < 800 ? formatMs(value) : `${value / 1000}\u00a0s`;
}

/** The verdict of a row, or why it has none yet. An episode that is open stays told while views are too few. */
export function rowState({ state, verdict, views }: Pick<RumRow, 'state' | 'verdict' | 'views'>): {
  word: string;
  icon: IconName;
  on: boolean;
} {
  if (verdict !== 'healthy')
    return {
      word: state === 'judged' ? RUM_VERDICT_WORDS[verdict] : `${RUM_VERDICT_WORDS[verdict]}, too few views now`,
      icon: RUM_VERDICT_ICONS[verdict],
      on: verdict !== 'synthetic_only_no_user_impact',
    };
  if (state === 'waiting') return { word: 'Waiting for the first beacon', icon: 'pending', on: false };
  if (state === 'quiet') return { word: 'Gone quiet', icon: 'clock', on: false };
  if (state === 'too_few') return { word: `Too few views: ${formatCount(views)} of 20`, icon: 'pending', on: false };
  return { word: RUM_VERDICT_WORDS.healthy, icon: RUM_VERDICT_ICONS.healthy, on: false };
}

/** `Users fine` and `Tests red`: the two questions of a verdict. */
export const isHurt = (verdict: RumVerdict): boolean =>
  verdict === 'user_impact_confirmed' || verdict === 'user_only_synthetic_blind';

/** The threshold of the rule as people say it: 4 s. */
export const lcpFrom = (ms: number): string => boundWords('lcp', ms);
