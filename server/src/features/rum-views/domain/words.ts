import type { Tests, Users } from './judge.ts';

/** Figures as sentences have them. */

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 1000 ? 2 : 1)} s`;
export const percent = (ratio: number): string => `${Number((ratio * 100).toFixed(ratio < 0.1 ? 1 : 0))} %`;
const thousands = (count: number): string => count.toLocaleString('en');
export const viewWords = (count: number): string => `${thousands(count)} ${count === 1 ? 'view' : 'views'}`;

const quoted = (name: string): string => `“${name}”`;

/** The tests that fail, by name: those of which half of the runs do. */
export function failingWords({ failing, failed, runs, ratio_from: from }: Tests): string {
  const [first, ...rest] = failing.filter((test) => test.failed >= from * test.runs);
  if (!first) return `${failed} of ${runs} runs of tests fail`;
  if (rest.length === 0) return `the test ${quoted(first.name)} fails`;
  return `the tests ${quoted(first.name)} and ${rest.length} more fail`;
}

/** p75 of LCP, with how many views have one where not all do. */
function lcpWords({ p75_lcp_ms: lcp, lcp_views: some, views }: Users, always: boolean): string {
  if (lcp === null) return '';
  const isOfAll = some === undefined || some === views;
  return `p75 LCP ${seconds(lcp)}${isOfAll && !always ? '' : ` over ${thousands(some ?? views)}`}`;
}

/** What tests say where they are not red: that none ran is no "well", and that some runs failed is not nothing. */
export function unseenWords({ runs, failed, runs_needed: needed }: Tests): string {
  if (runs === 0) return 'no test of this host ran in these 15 minutes';
  if (failed === 0) return 'no test sees it';
  if (runs < needed) return `the ${runs === 1 ? 'one run' : 'runs'} of its tests failed, too few to tell`;
  return `${failed} of ${runs} runs of tests fail, fewer than half`;
}

/** By what users hurt: "p75 LCP 5.2 s over 340 views". */
export function hurtWords(users: Users): string {
  const { by, error_rate: rate, views, hurt_views: hurt, lcp_views: some = views } = users;
  const errors =
    by.includes('errors') && rate !== null ? `errors in ${percent(rate)}, ${thousands(hurt)} of ${viewWords(views)}` : '';
  if (!by.includes('lcp')) return errors;
  if (errors !== '') return `${lcpWords(users, false)} and ${errors}`;
  return `${lcpWords(users, true)}${some === views ? '' : ` of ${thousands(views)}`} ${views === 1 ? 'view' : 'views'}`;
}

/** What users get where they are well; of fewer than it takes no p75. */
export function wellWords(users: Users): string {
  const { error_rate: rate, views, views_needed: needed, lcp_views: some = views } = users;
  const parts = [some < needed ? '' : lcpWords(users, false), rate === null ? '' : `errors in ${percent(rate)}`];
  return `${parts.filter(Boolean).join(', ')} over ${viewWords(views)}`;
}
