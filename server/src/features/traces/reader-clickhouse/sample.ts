import type { TenantId } from '#kernel';
import { settingsSql } from '#telemetry';
import { ERRORS, LONGEST, OTHERS, type PointRow, type Points, type SpanQuestion } from '../reader.ts';
import { allSpansSql } from './all-spans-sql.ts';
import type { Ask } from './ask.ts';
import type { SpanCondition } from './filter-sql.ts';

/** What takes a span into the sample: to be longer than so many nanoseconds, or a hash up to so much. */
interface Cut {
  longerThan: string;
  ofErrors: number;
  ofOthers: number;
}

/** Cuts that were right the last time, by what a tenant asked: mostly they still are, and spans are read once instead of twice. */
export type Cuts = Map<string, Cut>;
const MAX_CUTS = 1000;

/** The lowest hashes are a sample that is fair and the same each time it is asked for; of columns that are read anyway. */
const HASH = 'toInt64(bitShiftRight(cityHash64(ts, duration_ns), 11))';
const MAX_HASH = 2 ** 53 - 1;

/** The hash up to which so many of all are, and a few more: hardly ever too few. */
const hashOf = (limit: number, all: number): number => Math.floor(Math.min(1, (1.15 * limit) / Math.max(1, all)) * MAX_HASH);

const MAX_SAMPLED = 2 * (ERRORS + LONGEST + OTHERS);

interface Sampled {
  point: PointRow;
  isLong: boolean;
  hash: number;
}

/** As the store tells it: thousands of them, so that names of fields would be half of the answer. */
type SampledTuple = [
  traceId: string,
  spanId: string,
  at: number,
  ms: number,
  error: number,
  service: string,
  name: string,
  long: number,
  hash: number,
];

const toSampled = ([traceId, spanId, at, ms, error, service, name, long, hash]: SampledTuple): Sampled => ({
  point: { traceId, spanId, at, ms, error, service, name },
  isLong: long === 1,
  hash,
});

interface AnswerRow {
  total: number;
  errors: number;
  quantiles: number[];
  /** What the longest are longer than, and what twice as many are, nanoseconds. */
  least: string;
  spare: string;
  sample: SampledTuple[];
}

interface Answer extends Omit<AnswerRow, 'sample'> {
  sample: Sampled[];
}

const COLUMNS = ['trace_id', 'span_id', 'ts', 'duration_ns', 'status', 'service', 'name', `${HASH} AS hash`].join(', ');

/** What the cut takes. */
const SAMPLE = `arrayMap(s -> CAST((lower(hex(s.1)), lower(hex(s.2)), toUnixTimestamp64Micro(s.3) / 1000, s.4 / 1e6, s.5 = 2, s.6, s.7, s.4 > shortest, s.8),
        'Tuple(String, String, Float64, Float64, UInt8, String, String, UInt8, Int64)'),
      groupArrayIf(${MAX_SAMPLED})((${COLUMNS}),
        duration_ns > {longerThan:UInt64} OR hash <= if(status = 2, {ofErrors:Int64}, {ofOthers:Int64})))`;

/** Figures of all with their sample; without a cut figures alone, since ids are a third of what is read. */
const ANSWER = (
  { from, where, settings }: SpanCondition,
  cut: Cut | undefined,
): string => `WITH groupArraySorted(${2 * LONGEST})(bitNot(duration_ns)) AS longest,
    bitNot(longest[least(${LONGEST}, length(longest))]) AS shortest
  SELECT count() AS total, countIf(status = 2) AS errors, quantiles(0.5, 0.95, 0.99)(duration_ns / 1e6) AS quantiles,
    toString(shortest) AS least, toString(bitNot(longest[-1])) AS spare, ${cut ? SAMPLE : '[]'} AS sample
  FROM ${from} WHERE ${where} ${settingsSql(settings)}`;

const cutOf = ({ total, errors, spare }: Answer): Cut => ({
  longerThan: spare,
  ofErrors: hashOf(ERRORS, errors),
  ofOthers: hashOf(OTHERS, total - errors),
});

/** Whether the cut took all that the right one would have. */
function isWhole({ total, errors, least, sample }: Answer, cut: Cut): boolean {
  if (sample.length === MAX_SAMPLED || BigInt(cut.longerThan) > BigInt(least)) return false;
  const failed = sample.filter(({ point, hash }) => point.error === 1 && hash <= cut.ofErrors).length;
  const others = sample.filter(({ point, hash }) => point.error === 0 && hash <= cut.ofOthers).length;
  return failed >= Math.min(ERRORS, errors) && others >= Math.min(OTHERS, total - errors);
}

function pointsOf(sample: readonly Sampled[]): PointRow[] {
  const room = [OTHERS, ERRORS];
  const chosen = sample
    .toSorted((a, b) => a.hash - b.hash)
    .filter(({ point: { error }, isLong }) => {
      const isSampled = (room[error] ?? 0) > 0;
      if (isSampled) room[error] = (room[error] ?? 0) - 1;
      return isSampled || isLong;
    });
  return chosen.map(({ point }) => point);
}

/** Where there is no more room, a tenant's newest takes the place of its own oldest: nobody pushes out what another tenant asked for. */
export function keepCut(cuts: Cuts, { tenant, key }: { tenant: TenantId; key: string }, cut: Cut): void {
  if (cuts.size >= MAX_CUTS && !cuts.has(key)) {
    const ownStart = `["${tenant}",`;
    const keys = [...cuts.keys()];
    cuts.delete(keys.find((one) => one.startsWith(ownStart)) ?? keys[0] ?? '');
  }
  cuts.set(key, cut);
}

/** Figures of all spans that match, and a sample of them. */
export async function readPoints(
  ask: Ask,
  { cuts, tenant }: { cuts: Cuts; tenant: TenantId },
  { filter, window, rootsOnly }: SpanQuestion & { rootsOnly: boolean },
): Promise<Points> {
  const condition = allSpansSql({ filter, window, rootsOnly });
  const answer = async (cut: Cut | undefined): Promise<Answer | undefined> => {
    const [row] = await ask<AnswerRow>({ sql: ANSWER(condition, cut), params: { ...condition.params, ...cut } });
    return row && { ...row, sample: row.sample.map(toSampled) };
  };
  const { from: _, to: __, ...asked } = filter;
  const key = JSON.stringify([tenant, asked, rootsOnly, window.toMs - window.fromMs]);
  const tried = cuts.get(key);
  let row = await answer(tried);
  if (row && row.total > 0 && !(tried && isWhole(row, tried))) row = await answer(cutOf(row));
  if (!row || row.total === 0) return { points: [], totals: { total: 0, errors: 0, quantiles: [] } };
  keepCut(cuts, { tenant, key }, cutOf(row));
  const { total, errors, quantiles } = row;
  return { points: pointsOf(row.sample), totals: { total, errors, quantiles } };
}
