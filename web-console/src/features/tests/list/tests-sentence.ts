import type { TestList, TestRow } from '@svc/contracts/tests/views';
import { formatCount, plural } from '../../../ui/words/format.ts';
import { hostOf } from '../target-host.ts';
import { REASON_WORDS } from '../test-words.ts';
import type { TestsSearch } from './tests-search.ts';

/** Words, words that lead to the filtered list, or an instant. */
export type HeadPart = { text: string; search?: TestsSearch } | { at: string };

type Counts = TestList['counts'];

export const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** What all of them have in common, else undefined. */
function common<Value>(rows: readonly TestRow[], read: (row: TestRow) => Value | undefined): Value | undefined {
  const [first, ...rest] = rows.map(read);
  return first !== undefined && rest.every((value) => value === first) ? first : undefined;
}

const failingRunner = (row: TestRow): string | undefined => {
  const failing = row.runners.filter(({ state }) => state === 'failing');
  return failing.length === 1 ? failing[0]?.name : undefined;
};

/** ", all of shop.example from Berlin since 14:03", or which one: only what holds for each of them; all of them must be known. */
function whatTheyShare(rows: readonly TestRow[], count: number): HeadPart[] {
  if (rows.length === 0 || rows.length < count) return [];
  const runner = common(rows, failingRunner);
  const host = common(rows, ({ test }) => hostOf(test.target));
  const since = rows
    .flatMap((row) => row.since ?? [])
    .toSorted()
    .at(0);
  const [only] = count === 1 ? rows : [];
  const what = only ? `: ${only.test.name}` : host ? `, all of ${host}` : '';
  const from = runner ? `${what ? (only ? ',' : '') : ', all'} from ${runner}` : '';
  const where = `${what}${from}`;
  return [...(where ? [{ text: where }] : []), ...(since ? [{ text: ' since ' }, { at: since }] : [])];
}

const verb = (count: number, one: string, many: string): string => (count === 1 ? one : many);

function failingParts(counts: Counts, worst: readonly TestRow[]): HeadPart[] {
  const total = totalOf(counts);
  const text = `${formatCount(counts.failing)} of ${plural(total, 'test')} ${verb(counts.failing, 'fails', 'fail')}`;
  const rows = worst.filter(({ state }) => state === 'failing');
  return [{ text, search: { state: ['failing'] } }, ...whatTheyShare(rows, counts.failing), { text: '.' }];
}

function notRunningParts(counts: Counts, worst: readonly TestRow[]): HeadPart[] {
  const count = counts.not_running;
  const rows = worst.filter(({ state }) => state === 'not_running');
  const reason = rows.length >= count ? common(rows, ({ not_running }) => not_running ?? undefined) : undefined;
  const text = `${formatCount(count)} ${verb(count, 'does', 'do')} not run`;
  return [{ text, search: { state: ['not_running'] } }, { text: reason ? `: ${REASON_WORDS[reason]}.` : '.' }];
}

/** What hurts, how many of how many, what it shares; else what is fine. */
export function buildHeadline(counts: Counts, worst: readonly TestRow[]): HeadPart[] {
  const total = totalOf(counts);
  const parts: HeadPart[] = [];
  if (counts.failing > 0) parts.push(...failingParts(counts, worst));
  if (counts.not_running > 0) {
    if (parts.length > 0) parts.push({ text: ' ' });
    parts.push(...notRunningParts(counts, worst));
  }
  if (parts.length > 0) return parts;
  return [{ text: fineWords(counts, total) }];
}

/** Of tests of which none fails and each runs that should. */
function fineWords(counts: Counts, total: number): string {
  if (counts.passing === total) return total === 1 ? 'The one test passes.' : `All ${formatCount(total)} tests pass.`;
  if (counts.new === total)
    return total === 1 ? 'The one test has not run yet.' : `None of ${formatCount(total)} tests has run yet.`;
  if (counts.paused === total) return total === 1 ? 'The one test is paused.' : `All ${formatCount(total)} tests are paused.`;
  return `No test fails. ${formatCount(counts.passing)} of ${formatCount(total)} ${verb(counts.passing, 'passes', 'pass')}.`;
}

/** What the headline left out. */
export function buildRemainder(counts: Counts): string {
  const isTold = counts.failing + counts.not_running === 0;
  if (isTold && Math.max(counts.passing, counts.new, counts.paused) === totalOf(counts)) return '';
  const sentences = [
    counts.passing > 0 && !isTold ? `${formatCount(counts.passing)} ${verb(counts.passing, 'passes', 'pass')}.` : '',
    counts.paused > 0 ? `${formatCount(counts.paused)} ${verb(counts.paused, 'is', 'are')} paused.` : '',
    counts.new > 0 ? `${formatCount(counts.new)} ${verb(counts.new, 'has', 'have')} not run yet.` : '',
  ];
  return sentences.filter(Boolean).join(' ');
}
