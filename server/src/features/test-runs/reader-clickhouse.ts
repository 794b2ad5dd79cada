import { type Assertion, type CertificateFacts, PHASES, type Phase, type RunFault } from '@svc/contracts/tests/run-report';
import type { Clock, TenantId } from '#kernel';
import { type ColumnStore, chooseSources, HOUR_MS } from '#telemetry';
import type { DayStats, FullRun, Outcomes, OutcomesQuery, RunQueries, ShownRun, Step, StepsQuery } from './queries.ts';
import {
  OUTCOMES_SQL,
  RUN_COLUMNS,
  RUN_HOURS,
  type RunSqlRow,
  type RunsWanted,
  runsWhere,
  stepOf,
  stepsSql,
  WHOLE,
  type Whose,
} from './run-sql.ts';

/** Tests of ten thousand, each in 24 hours. */
const MAX_STEPS = 300_000;

interface StepRow {
  test: string;
  at: number;
  passed: number;
  failed: number;
  not_run: number;
  total: number;
  phase_sums: number[];
  phase_counts: number[];
  quantiles: (number | null)[];
}

const finite = (value: number | null | undefined): number | undefined =>
  value === null || value === undefined || !Number.isFinite(value) ? undefined : value;

function toPhases(values: readonly (number | null | undefined)[]): Partial<Record<Phase, number>> {
  const phases: Partial<Record<Phase, number>> = {};
  for (const [i, phase] of PHASES.entries()) {
    const ms = finite(values[i]);
    if (ms !== undefined) phases[phase] = ms;
  }
  return phases;
}

function toStep(row: StepRow): Step {
  const runs = row.passed + row.failed;
  return {
    ...{ atMs: row.at, passed: row.passed, failed: row.failed, notRun: row.not_run },
    meanMs: runs > 0 ? row.total / runs : undefined,
    phases: toPhases(row.phase_sums.map((sum, i) => sum / (row.phase_counts[i] ?? 0))),
    medianMs: finite(row.quantiles[0]),
    p95Ms: finite(row.quantiles[1]),
  };
}

function parsed<Value>(text: string): Value | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined;
  }
}

const toShown = (row: RunSqlRow): ShownRun => ({
  ...{ resultId: row.id, runnerId: row.runner, startedAtMs: row.at, success: row.outcome === 1 },
  fault: row.fault === '' ? undefined : (row.fault as RunFault),
  error: row.error === '' ? undefined : row.error,
  ...{ phases: toPhases(row.phases), totalMs: row.total_ms, onDemand: row.on_demand === 1 },
});

const toFull = (row: RunSqlRow): FullRun => ({
  ...toShown(row),
  ...{ testId: row.test, version: row.version, figures: row.figures },
  address: row.address === '' ? undefined : row.address,
  certificate: parsed<CertificateFacts>(row.certificate),
  assertions: parsed<Assertion[]>(row.assertions) ?? [],
});

/** The median of a week is another one only slowly; of a test that has hardly run yet it is one sooner. */
const USUAL_FRESH_MS = 5 * 60_000;
const FEW_FRESH_MS = 20_000;
const FEW_RUNS = 100;
const MAX_USUAL = 50_000;

/** What is usual of tests, remembered for a while, also that nothing is yet. */
function createUsual(read: (tenant: TenantId, testIds: readonly string[]) => Promise<Map<string, Step>>, clock: Clock) {
  const kept = new Map<string, { step: Step | undefined; untilMs: number }>();
  return async (tenant: TenantId, testIds: readonly string[]): Promise<Map<string, Step>> => {
    const found = new Map<string, Step>();
    const missing: string[] = [];
    for (const id of testIds) {
      const known = kept.get(`${tenant}/${id}`);
      if (!known || known.untilMs <= clock.now()) missing.push(id);
      else if (known.step) found.set(id, known.step);
    }
    if (missing.length === 0) return found;
    const steps = await read(tenant, missing);
    if (kept.size + missing.length > MAX_USUAL) kept.clear();
    for (const id of missing) {
      const step = steps.get(id);
      if (step) found.set(id, step);
      const freshMs = (step?.passed ?? 0) > FEW_RUNS ? USUAL_FRESH_MS : FEW_FRESH_MS;
      kept.set(`${tenant}/${id}`, { step, untilMs: clock.now() + freshMs });
    }
    return found;
  };
}

export function createRunReader({ store, clock }: { store: ColumnStore; clock: Clock }): RunQueries {
  const sourcesOf = (tenant: TenantId, span: { fromMs: number; toMs: number; stepMs: number }) =>
    chooseSources({ store, clock }, tenant, { ...span, marks: RUN_HOURS.marks, keptDays: RUN_HOURS.keptDays });

  async function readSteps(
    tenant: TenantId,
    whose: Whose,
    { fromMs, toMs, stepMs, totals = false }: { fromMs: number; toMs: number; stepMs: number | undefined; totals?: boolean },
  ) {
    // A step of hours is answered by hours where its edges are theirs.
    const sources = await sourcesOf(tenant, {
      fromMs,
      toMs,
      stepMs: stepMs === undefined ? HOUR_MS : fromMs % HOUR_MS === 0 ? stepMs : 1,
    });
    const { sql, params } = stepsSql(whose, sources, stepMs === undefined ? WHOLE : { ...stepOf(fromMs), totals });
    const rows = await store.read<StepRow>(
      tenant,
      sql,
      { ...params, ...(stepMs === undefined ? {} : { stepMs }) },
      { maxRows: MAX_STEPS },
    );
    const byTest = new Map<string, Step[]>();
    for (const row of rows) {
      const steps = byTest.get(row.test);
      if (steps) steps.push(toStep(row));
      else byTest.set(row.test, [toStep(row)]);
    }
    return byTest;
  }

  const usualOf = createUsual(async (tenant, testIds) => {
    const toMs = clock.now();
    const fromMs = (Math.floor(toMs / HOUR_MS) - 7 * 24) * HOUR_MS;
    const found = await readSteps(tenant, { testIds }, { fromMs, toMs, stepMs: undefined });
    return new Map([...found].flatMap(([id, [step]]) => (step ? [[id, step] as const] : [])));
  }, clock);

  return {
    async steps(tenant, { testId, runner, fromMs, toMs, stepMs }: StepsQuery) {
      return (await readSteps(tenant, { testIds: [testId], runner }, { fromMs, toMs, stepMs })).get(testId) ?? [];
    },
    async dayStats(tenant, testIds) {
      if (testIds.length === 0) return new Map();
      const nowMs = clock.now();
      const fromMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - 23 * HOUR_MS;
      const [day, usual] = await Promise.all([
        readSteps(tenant, { testIds }, { fromMs, toMs: nowMs, stepMs: HOUR_MS, totals: true }),
        usualOf(tenant, testIds),
      ]);
      const known = testIds.filter((id) => day.has(id) || usual.has(id));
      return new Map(
        known.map((id): [string, DayStats] => {
          const steps = day.get(id) ?? [];
          const week = usual.get(id);
          return [
            id,
            {
              bars: steps.filter(({ atMs }) => atMs > 0),
              p95Ms: steps.find(({ atMs }) => atMs === 0)?.p95Ms,
              ...{ usualMs: week?.medianMs, usualPhases: week?.phases ?? {} },
            },
          ];
        }),
      );
    },
    async whole(tenant, whose, { fromMs, toMs }) {
      const found = await readSteps(tenant, whose, { fromMs, toMs, stepMs: undefined });
      return new Map([...found].flatMap(([id, [step]]) => (step ? [[id, step] as const] : [])));
    },
    outcomes: (...asked) => readOutcomes(store, ...asked),
    ...createSingleRuns(store),
  };
}

async function readOutcomes(
  store: ColumnStore,
  ...[tenant, testIds, { fromMs, toMs, except }]: [TenantId, readonly string[], OutcomesQuery]
): Promise<Map<string, Outcomes>> {
  if (testIds.length === 0) return new Map();
  const params = {
    ...{ tests: testIds, fromMs, toMs },
    ...{ exceptTests: except.map(({ testId }) => testId), exceptFrom: except.map((span) => span.fromMs) },
    exceptTo: except.map((span) => span.toMs),
  };
  const rows = await store.read<Outcomes & { test: string }>(tenant, OUTCOMES_SQL, params, { maxRows: testIds.length });
  return new Map(rows.map(({ test, passed, failed }) => [test, { passed, failed }]));
}

const windowParams = (test: string, { fromMs, toMs, runner }: RunsWanted): Record<string, unknown> => ({
  ...{ test, fromMs, toMs },
  ...(runner === undefined ? {} : { runner }),
});

function createSingleRuns(store: ColumnStore): Pick<RunQueries, 'runs' | 'countRuns' | 'run'> {
  return {
    async runs(tenant, testId, { limit, before, countedOnly, ...wanted }) {
      const params = {
        ...windowParams(testId, wanted),
        limit,
        ...(before ? { beforeMs: before.startedAtMs, beforeId: before.resultId } : {}),
      };
      const earlier = before
        ? ` AND ts <= fromUnixTimestamp64Milli({beforeMs:Int64}) AND (ts < fromUnixTimestamp64Milli({beforeMs:Int64}) OR result_id < {beforeId:UUID})`
        : '';
      const counted = countedOnly ? ' AND on_demand = 0 AND outcome < 2' : '';
      const sql = `SELECT ${RUN_COLUMNS} FROM test_runs WHERE ${runsWhere(wanted)}${earlier}${counted}
        ORDER BY ts DESC, result_id DESC LIMIT 1 BY result_id LIMIT {limit:UInt32}`;
      return (await store.read<RunSqlRow>(tenant, sql, params)).map(toShown);
    },
    async countRuns(tenant, testId, wanted: RunsWanted) {
      const sql = `SELECT toFloat64(uniqExact(result_id)) AS n FROM test_runs WHERE ${runsWhere(wanted)}`;
      return (await store.read<{ n: number }>(tenant, sql, windowParams(testId, wanted)))[0]?.n ?? 0;
    },
    async run(tenant, { testId, resultId }) {
      const sql = `SELECT ${RUN_COLUMNS} FROM test_runs WHERE tenant_id = {tenant:String} AND test_id = {test:UUID} AND result_id = {id:UUID} LIMIT 1`;
      const [row] = await store.read<RunSqlRow>(tenant, sql, { test: testId, id: resultId });
      return row ? toFull(row) : undefined;
    },
  };
}
