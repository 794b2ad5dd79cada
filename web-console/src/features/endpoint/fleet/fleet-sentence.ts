import type { FleetSummary, Verdict } from '@svc/contracts/endpoint/view';
import type { Health } from '@svc/contracts/judged/healths';
import { NO_VERDICT, SLOW_CAUSES } from '../../../ui/devices/verdict-states.ts';
import { CAUSE_IN_SENTENCE } from '../../../ui/devices/verdict-words.ts';
import { formatCount, joinWords } from '../../../ui/words/format.ts';
import type { FleetSearch } from './fleet-search.ts';

/** A piece of the headline; with `search` it links to the filtered table. */
export interface SentencePart {
  text: string;
  search?: FleetSearch;
}

export type Counts = ReadonlyMap<Verdict, number>;
export const countVerdicts = (summary: FleetSummary): Counts => new Map(summary.counts.map((item) => [item.verdict, item.count]));
export type Healths = ReadonlyMap<Health, number>;
/** Of the devices with a verdict; a device that is not slow is healthy only where all was measured and nothing is off. */
export const countHealths = ({ healths }: FleetSummary): Healths => new Map(healths.map(({ health, count }) => [health, count]));

export const sumOf = (counts: Counts, verdicts: readonly Verdict[]): number =>
  verdicts.reduce((sum, verdict) => sum + (counts.get(verdict) ?? 0), 0);

/** Devices that have given a result: a verdict with a cause, or that nothing is slow. */
export const countJudged = (summary: FleetSummary): number => sumOf(countVerdicts(summary), ['none', ...SLOW_CAUSES]);

type Slow = (typeof SLOW_CAUSES)[number];

/** Causes with slow devices, most first; the headline names at most two. */
function rankSlow(counts: Counts): { cause: Slow; count: number }[] {
  return SLOW_CAUSES.map((cause) => ({ cause, count: counts.get(cause) ?? 0 }))
    .filter((item) => item.count > 0)
    .sort((a, b) => b.count - a.count);
}

/** ", all at Lisbon, floor 3" where one shared cause explains the whole count. */
function whereAll(summary: FleetSummary, cause: Slow, count: number): string {
  const shared = summary.shared.find((item) => item.cause === cause && item.affected >= count && item.site !== null);
  return shared ? `, all at ${shared.site}` : '';
}

/** The page's first sentence, from data: who is fine, then the two causes that hurt most. */
export function buildHeadline(summary: FleetSummary): SentencePart[] {
  const counts = countVerdicts(summary);
  const fine = countHealths(summary).get('healthy') ?? 0;
  const isUnsure = (counts.get('none') ?? 0) > fine;
  const slow = rankSlow(counts);
  const silent = sumOf(counts, NO_VERDICT);
  const parts: SentencePart[] = [];
  const devices = summary.total === 1 ? 'device' : 'devices';
  if (summary.total > 0 && fine === summary.total) {
    const all = summary.total === 1 ? 'This device' : `All ${formatCount(summary.total)} devices`;
    return [{ text: all, search: { health: ['healthy'] } }, { text: ` ${summary.total === 1 ? 'is' : 'are'} fine.` }];
  }
  if (slow.length === 0 && fine === 0 && isUnsure)
    return [{ text: 'Nothing is slow, as far as measured', search: { verdict: ['none'] } }, { text: '.' }];
  if (slow.length === 0 && fine === 0) {
    const them = summary.total === 1 ? 'This device gives' : `None of ${formatCount(summary.total)} devices gives`;
    return [
      { text: them, search: { verdict: [...NO_VERDICT] } },
      { text: summary.total === 1 ? ' no verdict yet.' : ' a verdict yet.' },
    ];
  }
  const [only] = slow;
  if (summary.total === 1 && only) {
    return [
      { text: 'This device', search: { verdict: [only.cause] } },
      { text: ` is slow because of ${CAUSE_IN_SENTENCE[only.cause]}.` },
    ];
  }
  parts.push({
    text: `${fine === 0 ? 'None' : formatCount(fine)} of ${formatCount(summary.total)}`,
    search: { health: ['healthy'] },
  });
  const them = isUnsure && fine === 0 ? 'known to be fine' : 'fine';
  parts.push({ text: ` ${devices} ${summary.total === 1 || fine === 1 ? 'is' : 'are'} ${them}.` });
  const [first, second] = slow;
  if (!first && silent === 0) return [...parts, { text: ' Nothing is slow.' }];
  if (!first) {
    parts.push(
      { text: ' ' },
      { text: `${formatCount(silent)} ${silent === 1 ? 'gives' : 'give'} no verdict`, search: { verdict: [...NO_VERDICT] } },
    );
    return [...parts, { text: '; nothing is slow.' }];
  }
  parts.push({ text: ' ' });
  parts.push({
    text: `${formatCount(first.count)} ${first.count === 1 ? 'is' : 'are'} slow because of ${CAUSE_IN_SENTENCE[first.cause]}`,
    search: { verdict: [first.cause] },
  });
  parts.push({ text: whereAll(summary, first.cause, first.count) });
  if (second) {
    parts.push({ text: '; ' });
    parts.push({
      text: `${formatCount(second.count)} because of ${CAUSE_IN_SENTENCE[second.cause]}`,
      search: { verdict: [second.cause] },
    });
    parts.push({ text: whereAll(summary, second.cause, second.count) });
  }
  return [...parts, { text: '.' }];
}

const STATE_WORDS = {
  paused: 'paused by their owner',
  no_contact: 'without contact',
  needs_permission: 'waiting for a permission',
  declined: 'declined',
  update_required: 'too old for this server',
  pending: 'waiting for a verdict',
} as const satisfies Record<(typeof NO_VERDICT)[number], string>;

/** "3 paused by their owner and 3 without contact", or an empty text. */
export const describeSilent = (counts: Counts): string =>
  joinWords(
    NO_VERDICT.filter((state) => (counts.get(state) ?? 0) > 0).map(
      (state) => `${formatCount(counts.get(state) ?? 0)} ${STATE_WORDS[state]}`,
    ),
  );

/** What the headline left out: slow for other reasons, off or measured in part, and without a verdict. */
export function buildRemainder(summary: FleetSummary): string {
  const counts = countVerdicts(summary);
  const others = rankSlow(counts)
    .slice(2)
    .reduce((sum, item) => sum + item.count, 0);
  const silent = sumOf(counts, NO_VERDICT);
  const healths = countHealths(summary);
  const [off, partial, begun] = [healths.get('off') ?? 0, healths.get('partial') ?? 0, healths.get('measuring') ?? 0];
  const clauses: string[] = [];
  if (others > 0) clauses.push(`${formatCount(others)} more ${others === 1 ? 'is' : 'are'} slow for other reasons`);
  if (silent > 0) clauses.push(`${formatCount(silent)} ${silent === 1 ? 'gives' : 'give'} no verdict: ${describeSilent(counts)}`);
  const unsure = [
    ...(off > 0 ? [`On ${formatCount(off)} something is off though nothing is slow`] : []),
    ...(partial > 0 ? [`${formatCount(partial)} ${partial === 1 ? 'is' : 'are'} measured only in part`] : []),
    ...(begun > 0 ? [`${formatCount(begun)} ${begun === 1 ? 'has' : 'have'} only just begun to measure`] : []),
  ];
  return [joinWords(clauses), unsure.join('; ')].flatMap((words) => (words === '' ? [] : [`${words}.`])).join(' ');
}

/** "17 of the 20 slow devices come down to 3 things" */
export function describeShared(summary: FleetSummary): string {
  const slow = sumOf(countVerdicts(summary), SLOW_CAUSES);
  // A site's group holds those behind its gateways too.
  const isWithin = (one: FleetSummary['shared'][number]): boolean =>
    one.gateway !== null &&
    summary.shared.some(({ cause, site, gateway }) => gateway === null && cause === one.cause && site === one.site);
  const apart = summary.shared.filter((one) => !isWithin(one));
  const explained = Math.min(
    slow,
    apart.reduce((sum, item) => sum + item.affected, 0),
  );
  const things = apart.length;
  if (things === 0) return '';
  return `${formatCount(explained)} of the ${formatCount(slow)} slow devices come down to ${things} ${things === 1 ? 'thing' : 'things'}`;
}
