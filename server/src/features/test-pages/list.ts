import { TEST_STATES, type TestList, type TestListQuery, type TestState } from '@svc/contracts/tests/views';
import { countOfPage } from '#api';
import { AppError, type Ctx, type TenantId } from '#kernel';
import type { TestPagesDeps } from './context.ts';
import { shownCertificates } from './domain/certificates.ts';
import { type Judged, judge, readFacts, type TenantFacts } from './facts.ts';
import { buildRows } from './rows.ts';
import type { RunHead } from './runs-port.ts';

type Standings = Awaited<ReturnType<TestPagesDeps['runs']['standings']>>;

const matchesLabel = (labels: Readonly<Record<string, string>>, wanted: string): boolean => {
  const at = wanted.indexOf('=');
  return at < 0 ? labels[wanted] !== undefined : labels[wanted.slice(0, at)] === wanted.slice(at + 1);
};

function matches({ test, judgement }: Judged, { search, state, type, runner, label }: TestListQuery): boolean {
  if (state?.length && !state.includes(judgement.state)) return false;
  if (type?.length && !type.includes(test.type)) return false;
  if (runner?.length && !judgement.runners.some(({ id }) => runner.includes(id))) return false;
  if (label?.length && !label.every((one) => matchesLabel(test.labels, one))) return false;
  if (!search?.trim()) return true;
  const words = search.trim().toLowerCase().split(/\s+/);
  const text = `${test.name} ${test.target} ${Object.entries(test.labels).flat().join(' ')} ${test.id}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

type Value = number | string | undefined;
type SortKey = NonNullable<TestListQuery['sort']>[number]['by'];

const newest = (runners: Judged['judgement']['runners']): RunHead | undefined => {
  let last: RunHead | undefined;
  for (const { head } of runners) if (head && (!last || head.lastAtMs > last.lastAtMs)) last = head;
  return last;
};

const sortValue = ({ test, judgement }: Judged, by: SortKey, standings: Standings): Value => {
  const shown = () => shownCertificates(judgement.runners.flatMap(({ head }) => head ?? []));
  const values: Record<SortKey, () => Value> = {
    state: () => TEST_STATES.indexOf(judgement.state),
    name: () => test.name.toLowerCase(),
    type: () => test.type,
    target: () => test.target.toLowerCase(),
    availability: () => standings.get(test.id)?.availability,
    p95: () => standings.get(test.id)?.p95Ms,
    total: () => newest(judgement.runners)?.lastMs,
    last: () => newest(judgement.runners)?.lastAtMs,
    interval: () => test.interval_seconds,
    certificate: () =>
      shown().reduce<number | undefined>((first, { certificateEndsMs: at }) => Math.min(first ?? at, at), undefined),
  };
  return values[by]();
};

/** What is not known comes last, whichever way the rest goes. */
function compareValues(a: Value, b: Value, descending: boolean): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return (a < b ? -1 : 1) * (descending ? -1 : 1);
}

const DEFAULT_SORT: NonNullable<TestListQuery['sort']> = [{ by: 'state', descending: false }];

function sorted(tests: readonly Judged[], query: TestListQuery, standings: Standings): Judged[] {
  const sort = query.sort?.length ? query.sort : DEFAULT_SORT;
  const keyed = tests.map((one) => ({ one, keys: sort.map(({ by }) => sortValue(one, by, standings)) }));
  keyed.sort((a, b) => {
    for (const [i, { descending }] of sort.entries()) {
      const order = compareValues(a.keys[i], b.keys[i], descending);
      if (order !== 0) return order;
    }
    const [x, y] = [a.one.test.name.toLowerCase(), b.one.test.name.toLowerCase()];
    return x < y ? -1 : x > y ? 1 : 0;
  });
  return keyed.map(({ one }) => one);
}

const needsStandings = ({ sort }: TestListQuery): boolean =>
  sort?.some(({ by }) => by === 'availability' || by === 'p95') ?? false;

export interface Selected {
  facts: TenantFacts;
  found: readonly Judged[];
  counts: Record<TestState, number>;
}

/** Those that the query asks for, in its order, and how many tests there are in each state whatever it asks. */
export async function selectTests(context: TestPagesDeps, tenant: TenantId, query: TestListQuery): Promise<Selected> {
  const [facts, standings] = await Promise.all([
    readFacts(context, tenant),
    needsStandings(query) ? context.runs.standings(tenant) : new Map(),
  ]);
  const judged = facts.tests.map((test) => ({ test, judgement: judge(facts, test) }));
  const counts = Object.fromEntries(TEST_STATES.map((state) => [state, 0])) as Record<TestState, number>;
  for (const { judgement } of judged) counts[judgement.state] += 1;
  return {
    facts,
    counts,
    found: sorted(
      judged.filter((one) => matches(one, query)),
      query,
      standings,
    ),
  };
}

function offsetOf({ cursor, offset }: TestListQuery): number {
  if (cursor === undefined) return offset ?? 0;
  const read = /^o(\d{1,7})$/.exec(cursor)?.[1];
  if (read === undefined) throw new AppError('validation', 'The cursor is not one of this list.');
  return Number(read);
}

export async function listTests(context: TestPagesDeps, { principal: { tenant } }: Ctx, query: TestListQuery): Promise<TestList> {
  const { facts, found, counts } = await selectTests(context, tenant, query);
  const from = offsetOf(query);
  const rows = await buildRows(context, { tenant, facts, judged: found.slice(from, from + query.limit) });
  const items = rows.slice(0, countOfPage(rows));
  const end = from + items.length;
  return { items, next_cursor: end < found.length && items.length > 0 ? `o${end}` : null, total: found.length, counts };
}
