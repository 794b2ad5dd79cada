import { PHASES } from '@svc/contracts/tests/run-report';
import { HOUR_MS, type HourlyRollUp, type Sources } from '#telemetry';

/** Runs are kept for 30 days. */
const RUNS_KEPT_DAYS = 30;

const SUMS = `[${PHASES.map((phase) => `sumIf(${phase}_ms, outcome < 2 AND NOT isNaN(${phase}_ms))`).join(', ')}]`;
const COUNTS = `[${PHASES.map((phase) => `toUInt32(countIf(outcome < 2 AND NOT isNaN(${phase}_ms)))`).join(', ')}]`;
/** What is no number is none of its samples. */
const DIGEST = 'quantilesTDigestState(0.5, 0.95)(if(outcome = 1, total_ms, nan))';
const VALUES = ['outcome', 'total_ms', ...PHASES.map((phase) => `${phase}_ms`)];

/** Each run once, however often it came. */
const once = (
  where: string,
): string => `SELECT test_id, runner_id, ts, result_id, ${VALUES.map((name) => `any(r.${name}) AS ${name}`).join(', ')}
  FROM test_runs AS r WHERE tenant_id = {tenant:String} AND on_demand = 0 AND ${where} GROUP BY test_id, runner_id, ts, result_id`;

const AGGREGATES = `toUInt32(countIf(outcome = 1)) AS passed, toUInt32(countIf(outcome = 0)) AS failed, toUInt32(countIf(outcome = 2)) AS not_run,
    sumIf(total_ms, outcome < 2) AS total, ${SUMS} AS phase_sums, ${COUNTS} AS phase_counts, ${DIGEST} AS digest`;

const ROLL_UP = `INSERT INTO test_hours (tenant_id, test_id, runner_id, hour, passed, failed, not_run, total, phase_sums, phase_counts, digest, version)
  SELECT {tenant:String}, test_id, runner_id, toUInt32(intDiv(toUnixTimestamp64Milli(ts), ${HOUR_MS})) AS at, ${AGGREGATES},
    {writes:Array(UInt64)}[indexOf({hours:Array(UInt32)}, at)]
  FROM (${once(`ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
    AND has({hours:Array(UInt32)}, intDiv(toUnixTimestamp64Milli(ts), ${HOUR_MS}))`)})
  GROUP BY test_id, runner_id, at`;

export const RUN_HOURS: HourlyRollUp = { marks: 'test_marks', compute: [ROLL_UP], keptDays: RUNS_KEPT_DAYS };

/** Of some tests, of one runner, of all. */
export interface Whose {
  testIds?: readonly string[] | undefined;
  runner?: string | undefined;
}

const whoseSql = ({ testIds, runner }: Whose): string =>
  `${testIds ? ' AND test_id IN {tests:Array(UUID)}' : ''}${runner === undefined ? '' : ' AND runner_id = {runner:String}'}`;

export const whoseParams = ({ testIds, runner }: Whose): Record<string, unknown> => ({
  ...(testIds ? { tests: testIds } : {}),
  ...(runner === undefined ? {} : { runner }),
});

const MERGED = `toUInt32(sum(passed)) AS passed, toUInt32(sum(failed)) AS failed, toUInt32(sum(not_run)) AS not_run, sum(total) AS total,
  sumForEach(phase_sums) AS phase_sums, sumForEach(phase_counts) AS phase_counts, quantilesTDigestMerge(0.5, 0.95)(digest) AS quantiles`;

/** Rows of hours and of runs alike: test, step and what they came to. `t` is the step's beginning, Unix milliseconds; 0 is that of all steps together, where totals are asked for. */
export function stepsSql(
  whose: Whose,
  { raw, hours }: Sources,
  stepSql: { runs: string; hours: string; totals?: boolean },
): { sql: string; params: Record<string, unknown> } {
  const params: Record<string, unknown> = { ...whoseParams(whose), ...hours };
  const parts: string[] = [];
  if (raw.length > 0) {
    const times = raw.map(({ fromMs, toMs }, i) => {
      params[`from${i}`] = fromMs;
      params[`to${i}`] = toMs;
      return `ts >= fromUnixTimestamp64Milli({from${i}:Int64}) AND ts < fromUnixTimestamp64Milli({to${i}:Int64})`;
    });
    const where = `(${times.join(' OR ')})${whoseSql(whose)}`;
    parts.push(`SELECT test_id, ${stepSql.runs} AS t, ${AGGREGATES} FROM (${once(where)}) GROUP BY test_id, t`);
  }
  if (hours)
    parts.push(`SELECT test_id, ${stepSql.hours} AS t, passed, failed, not_run, total, phase_sums, phase_counts, digest FROM (
      SELECT * FROM test_hours WHERE tenant_id = {tenant:String} AND hour >= {firstHour:UInt32} AND hour < {endHour:UInt32}
        AND hour NOT IN {except:Array(UInt32)}${whoseSql(whose)}
      ORDER BY test_id, runner_id, hour, version DESC LIMIT 1 BY test_id, runner_id, hour)`);
  const sql = `SELECT toString(test_id) AS test, toFloat64(t) AS at, ${MERGED} FROM (${parts.join(' UNION ALL ')})
    GROUP BY ${stepSql.totals ? 'GROUPING SETS ((test_id, t), (test_id))' : 'test_id, t'} ORDER BY test_id, t`;
  return { sql, params };
}

const AT = 'toUnixTimestamp64Milli(ts)';
export const stepOf = (fromMs: number): { runs: string; hours: string } => ({
  runs: `intDiv(${AT} - ${fromMs}, {stepMs:Int64}) * {stepMs:Int64} + ${fromMs}`,
  hours: `intDiv(toInt64(hour) * ${HOUR_MS} - ${fromMs}, {stepMs:Int64}) * {stepMs:Int64} + ${fromMs}`,
});
/** All of it as one step. */
export const WHOLE = { runs: 'toInt64(0)', hours: 'toInt64(0)' };

export interface RunSqlRow {
  id: string;
  test: string;
  runner: string;
  at: number;
  version: number;
  outcome: number;
  on_demand: number;
  fault: string;
  error: string;
  total_ms: number;
  phases: (number | null)[];
  figures: Record<string, number>;
  address: string;
  certificate: string;
  assertions: string;
}

export const RUN_COLUMNS = `toString(result_id) AS id, toString(test_id) AS test, runner_id AS runner, ${AT} AS at, version, outcome, on_demand, fault, error,
  total_ms, [${PHASES.map((phase) => `${phase}_ms`).join(', ')}] AS phases, figures, address, certificate, assertions`;

export interface RunsWanted {
  fromMs: number;
  toMs: number;
  runner?: string | undefined;
  success?: boolean | undefined;
}

/** Of one test in a window; those that passed, or those that did not. */
export const runsWhere = ({
  runner,
  success,
}: Pick<RunsWanted, 'runner' | 'success'>): string => `tenant_id = {tenant:String} AND test_id = {test:UUID}
  AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})${
    runner === undefined ? '' : ' AND runner_id = {runner:String}'
  }${success === undefined ? '' : success ? ' AND outcome = 1' : ' AND outcome != 1'}`;

/** Of some tests in a window, each run once, but for stretches of some of them. */
export const OUTCOMES_SQL = `SELECT toString(test_id) AS test, toUInt32(countIf(outcome = 1)) AS passed, toUInt32(countIf(outcome = 0)) AS failed
  FROM (${once(`test_id IN {tests:Array(UUID)}
    AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
    AND NOT arrayExists((t, f, u) -> t = test_id AND ${AT} >= f AND ${AT} < u,
      {exceptTests:Array(UUID)}, {exceptFrom:Array(Int64)}, {exceptTo:Array(Int64)})`)})
  GROUP BY test_id`;
