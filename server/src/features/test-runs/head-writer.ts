import type { TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import { type FoldedRun, foldRuns, forgetBefore, type HeadState } from './domain/fold-head.ts';
import type { RunRow } from './domain/read-run.ts';
import { milliseconds } from './head-store.ts';
import type { ShownRun } from './queries.ts';

/** Channel on which whoever judges tests hears that runs of a tenant came: its id. */
export const RUNS_CHANNEL = 'svc_test_runs';

/** Heads in one transaction at most. */
const AT_ONCE = 1000;

const keyOf = ({ testId, runnerId }: { testId: string; runnerId: string }): string => `${testId}/${runnerId}`;

const firstFailed = (assertions: RunRow['assertions']): ShownRun['failed'] => {
  const found = assertions.find(({ passed }) => !passed);
  return found && { rule: found.rule, wanted: found.wanted, got: found.got };
};

export const toShownRun = (run: RunRow): ShownRun => ({
  ...{ resultId: run.resultId, runnerId: run.runnerId, startedAtMs: run.startedAtMs, success: run.success },
  ...{ fault: run.fault, error: run.error, phases: run.phases, totalMs: run.totalMs, onDemand: run.onDemand },
  failed: firstFailed(run.assertions),
});

/** `last` is null of a test that no run of this runner is known of. */
interface Row {
  test_id: string;
  runner_id: string;
  /** When its last pause ended. */
  resumed_at: number | null;
  failing: boolean;
  since: number | null;
  latched_at: number | null;
  last: ShownRun | null;
  recent: HeadState['recent'];
  certificate: NonNullable<HeadState['certificate']>['facts'] | null;
  certificate_at: number | null;
  certificate_changed_at: number | null;
}

const TIMES = ['since', 'latched_at', 'certificate_at', 'certificate_changed_at'].map((name) => milliseconds(name)).join(', ');
const READ = `SELECT test_id, runner_id, failing, last, recent, certificate, ${TIMES},
    (SELECT ${milliseconds('max(p.to_at)', 'resumed_at')} FROM synthetic_test_pauses p WHERE p.test_id = w.test_id)
  FROM unnest($1::uuid[], $2::text[]) AS w(test_id, runner_id) LEFT JOIN synthetic_test_heads h USING (test_id, runner_id)`;

/** A test that was deleted meanwhile gets none. */
const WRITE = `INSERT INTO synthetic_test_heads AS h (tenant_id, test_id, runner_id, last_at, last_ok, last_fault, failing, since, latched_at, last,
    recent, certificate, certificate_at, certificate_changed_at, expires_at,
    last_ms, measured_at)
  SELECT s.tenant_id, s.id, u ->> 'runner_id', (u ->> 'last_at')::timestamptz, (u ->> 'last_ok')::boolean, u ->> 'last_fault',
    (u ->> 'failing')::boolean, (u ->> 'since')::timestamptz, (u ->> 'latched_at')::timestamptz, u -> 'last', u -> 'recent',
    CASE WHEN u ->> 'certificate' IS NULL THEN NULL ELSE u -> 'certificate' END, (u ->> 'certificate_at')::timestamptz,
    (u ->> 'certificate_changed_at')::timestamptz, (u ->> 'expires_at')::timestamptz,
    (u ->> 'last_ms')::double precision, (u ->> 'measured_at')::timestamptz
  FROM jsonb_array_elements($1::jsonb) u JOIN synthetic_tests s ON s.id = (u ->> 'test_id')::uuid
  ON CONFLICT (tenant_id, test_id, runner_id) DO UPDATE SET last_at = excluded.last_at, last_ok = excluded.last_ok,
    last_fault = excluded.last_fault, failing = excluded.failing, since = excluded.since, latched_at = excluded.latched_at, last = excluded.last,
    recent = excluded.recent, certificate = excluded.certificate, certificate_at = excluded.certificate_at,
    certificate_changed_at = excluded.certificate_changed_at, expires_at = excluded.expires_at,
    last_ms = excluded.last_ms, measured_at = excluded.measured_at`;

const toState = ({ last, ...row }: Row): HeadState<ShownRun> | undefined =>
  last === null ? undefined : forgetBefore(toKnown(row, last), row.resumed_at ?? undefined);

const toKnown = (row: Omit<Row, 'last'>, last: ShownRun): HeadState<ShownRun> => ({
  last,
  recent: row.recent,
  failing: row.failing,
  sinceMs: row.since ?? undefined,
  latchedAtMs: row.latched_at ?? undefined,
  certificate:
    row.certificate && row.certificate_at !== null
      ? { facts: row.certificate, atMs: row.certificate_at, changedAtMs: row.certificate_changed_at ?? undefined }
      : undefined,
});

const instant = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

const toWritten = (state: HeadState<ShownRun>, { testId, runnerId }: { testId: string; runnerId: string }) => ({
  ...{ test_id: testId, runner_id: runnerId, last_at: instant(state.last.startedAtMs), last_ok: state.last.success },
  ...{ last_fault: state.last.fault ?? '', failing: state.failing, since: instant(state.sinceMs) },
  ...{ latched_at: instant(state.latchedAtMs), last: state.last, recent: state.recent },
  certificate: state.certificate?.facts ?? null,
  certificate_at: instant(state.certificate?.atMs),
  certificate_changed_at: instant(state.certificate?.changedAtMs),
  expires_at: instant(endOf(state)),
  last_ms: state.last.totalMs,
  measured_at: instant(state.recent[0]?.[1]),
});

/** A certificate whose end cannot be read has none, nor one of a year that the database does not take. */
function endOf({ certificate }: HeadState): number | undefined {
  const ms = certificate ? Date.parse(certificate.facts.not_after) : Number.NaN;
  return ms >= 0 ? ms : undefined;
}

async function foldInto(sql: TenantSql, groups: readonly RunRow[][], neededOf: (testId: string) => number): Promise<void> {
  const firsts = groups.flatMap(([first]) => first ?? []);
  const ids = [firsts.map(({ testId }) => testId), firsts.map(({ runnerId }) => runnerId)];
  const { rows } = await sql.query<Row>({ name: 'test-heads-lock', text: READ, values: ids });
  const known = new Map(
    rows.map((row) => [
      keyOf({ testId: row.test_id, runnerId: row.runner_id }),
      { state: toState(row), resumedAtMs: row.resumed_at ?? 0 },
    ]),
  );
  const written = groups.flatMap((runs) => {
    const [first] = runs;
    if (!first) return [];
    const { state: before, resumedAtMs = 0 } = known.get(keyOf(first)) ?? {};
    const folded = runs.map(
      (run): FoldedRun<ShownRun> => ({
        last: toShownRun(run),
        notRun: run.notRun || run.startedAtMs < resumedAtMs,
        certificate: run.certificate,
      }),
    );
    const state = foldRuns(before, folded, neededOf(first.testId));
    return state ? [toWritten(state, first)] : [];
  });
  await sql.query({ name: 'test-heads-write', text: WRITE, values: [JSON.stringify(written)] });
}

/** Tells what is known of each test on each runner by new runs of a tenant; runs that are known already change nothing. */
export async function writeHeads(
  { relational, neededOf }: { relational: Pick<Relational, 'withSystemSql'>; neededOf: (testId: string) => number },
  tenant: TenantId,
  runs: readonly RunRow[],
): Promise<void> {
  const groups = new Map<string, RunRow[]>();
  for (const run of runs) {
    if (run.onDemand) continue;
    const group = groups.get(keyOf(run));
    if (group) group.push(run);
    else groups.set(keyOf(run), [run]);
  }
  const all = [...groups.values()];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    await relational.withSystemSql(tenant, async (sql) => {
      // One writer at a time, also while a partition changes hands.
      await sql.query("SELECT pg_advisory_xact_lock(hashtextextended('test-heads/' || current_setting('app.tenant_id'), 0))");
      await foldInto(sql, all.slice(from, from + AT_ONCE), neededOf);
      await sql.query("SELECT pg_notify($1, current_setting('app.tenant_id'))", [RUNS_CHANNEL]);
    });
  }
}
