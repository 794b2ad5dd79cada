import type { Test, TestSpec } from '@svc/contracts/tests/test';
import { AppError } from '#kernel';
import { isUniqueViolation, type TenantSql } from '#relational';
import { loadRow } from './loads.ts';

/** Rows of tests. Writers of one tenant take turns (`lockTests`), so that two at once pass no bound together. */

/** Channel on which every replica hears that a tenant's tests, or what they need, changed: its id. */
export const TESTS_CHANNEL = 'svc_tests';

interface Row {
  id: string;
  version: number;
  spec: TestSpec;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'id, version, spec, created_by, created_at, updated_at';

const toTest = ({ spec, created_at, updated_at, ...record }: Row): Test => ({
  ...spec,
  ...record,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

export const lockTests = async (sql: TenantSql): Promise<void> =>
  void (await sql.query("SELECT pg_advisory_xact_lock(hashtextextended('tests/' || current_setting('app.tenant_id'), 0))"));

/** At commit. */
export const tellReplicas = async (sql: TenantSql): Promise<void> =>
  void (await sql.query("SELECT pg_notify($1, current_setting('app.tenant_id'))", [TESTS_CHANNEL]));

/** All of a tenant, by name. */
export async function readTests(sql: TenantSql): Promise<Test[]> {
  const { rows } = await sql.query<Row>(`SELECT ${COLUMNS} FROM synthetic_tests ORDER BY lower(name), id`);
  return rows.map(toTest);
}

export async function findTest(sql: TenantSql, id: string): Promise<Test> {
  const { rows } = await sql.query<Row>(`SELECT ${COLUMNS} FROM synthetic_tests WHERE id = $1`, [id]);
  if (!rows[0]) throw new AppError('not_found', 'There is no such test.');
  return toTest(rows[0]);
}

/** Those of some ids that are there, by name. */
export async function findTests(sql: TenantSql, ids: readonly string[]): Promise<Test[]> {
  const text = `SELECT ${COLUMNS} FROM synthetic_tests WHERE id = ANY ($1::uuid[]) ORDER BY lower(name), id`;
  return (await sql.query<Row>(text, [ids])).rows.map(toTest);
}

export async function findTestsNamed(sql: TenantSql, names: readonly string[]): Promise<Map<string, Test>> {
  const lower = names.map((name) => name.toLowerCase());
  const text = `SELECT ${COLUMNS} FROM synthetic_tests WHERE lower(name) = ANY ($1)`;
  const { rows } = await sql.query<Row>(text, [lower]);
  return new Map(rows.map((row) => [row.spec.name.toLowerCase(), toTest(row)]));
}

/** The fields that a person writes. */
export function specOf(test: Test): TestSpec {
  const { id: _id, version: _version, created_by: _by, created_at: _created, updated_at: _updated, ...spec } = test;
  return spec as TestSpec;
}

const namesOf = (tests: readonly Test[]): string => [...new Set(tests.map(({ name }) => name))].slice(0, 3).join(', ');

async function refusingTakenNames<Answer>(tests: readonly Test[], write: () => Promise<Answer>): Promise<Answer> {
  try {
    return await write();
  } catch (cause) {
    if (!isUniqueViolation(cause, 'synthetic_tests_name')) throw cause;
    const which = tests.length === 1 ? `named “${tests[0]?.name}”` : `of one of these names (${namesOf(tests)}, ...)`;
    const faults = [{ path: 'test.name', message: 'This name is taken.' }];
    throw new AppError('conflict', `There is a test ${which} already. Choose another name.`, { cause, faults });
  }
}

/** Of the element `t`: bytes, host, rate, whether it is of each runner. */
const LOAD = `octet_length((t -> 'spec')::text), t ->> 'load_host', (t ->> 'load_rate')::float8, (t ->> 'load_each_runner')::boolean`;

export async function insertTests(sql: TenantSql, tests: readonly Test[]): Promise<void> {
  const text = `INSERT INTO synthetic_tests (tenant_id, id, version, name, type, enabled, spec, created_by, created_at, updated_at, enabled_at,
      scheduled_at, load_version, load_bytes, load_host, load_rate, load_each_runner)
    SELECT current_setting('app.tenant_id'), (t ->> 'id')::uuid, (t ->> 'version')::int, t -> 'spec' ->> 'name', t -> 'spec' ->> 'type',
      (t -> 'spec' ->> 'enabled')::boolean, t -> 'spec', t ->> 'created_by', (t ->> 'created_at')::timestamptz,
      (t ->> 'updated_at')::timestamptz, (t ->> 'created_at')::timestamptz, (t ->> 'created_at')::timestamptz,
      (t ->> 'version')::int, ${LOAD}
    FROM jsonb_array_elements($1::jsonb) t`;
  const rows = tests.map((test) => {
    const { id, version, created_by, created_at, updated_at, ...spec } = test;
    return { id, version, created_by, created_at, updated_at, spec, ...loadRow(test) };
  });
  await refusingTakenNames(tests, () => sql.query(text, [JSON.stringify(rows)]));
  await notePauses(sql, tests);
}

/** New content of tests that are there: version and time are the caller's. */
export async function updateTests(sql: TenantSql, tests: readonly Test[]): Promise<void> {
  const text = `UPDATE synthetic_tests s SET version = (t ->> 'version')::int, name = t -> 'spec' ->> 'name', type = t -> 'spec' ->> 'type',
      spec = t -> 'spec', updated_at = (t ->> 'updated_at')::timestamptz, enabled = (t -> 'spec' ->> 'enabled')::boolean,
      enabled_at = CASE WHEN enabled = (t -> 'spec' ->> 'enabled')::boolean THEN enabled_at ELSE (t ->> 'updated_at')::timestamptz END,
      scheduled_at = CASE WHEN (s.spec -> 'interval_seconds', s.spec -> 'runners') = (t -> 'spec' -> 'interval_seconds', t -> 'spec' -> 'runners')
        THEN scheduled_at ELSE (t ->> 'updated_at')::timestamptz END,
      load_version = (t ->> 'version')::int, (load_bytes, load_host, load_rate, load_each_runner) = (SELECT ${LOAD})
    FROM jsonb_array_elements($1::jsonb) t WHERE s.id = (t ->> 'id')::uuid`;
  const rows = tests.map((test) => {
    const { id, version, created_by: _by, created_at: _at, updated_at, ...spec } = test;
    return { id, version, updated_at, spec, ...loadRow(test) };
  });
  await refusingTakenNames(tests, () => sql.query(text, [JSON.stringify(rows)]));
  await notePauses(sql, tests);
}

export async function deleteTests(sql: TenantSql, ids: readonly string[]): Promise<void> {
  await sql.query('DELETE FROM synthetic_tests WHERE id = ANY ($1::uuid[])', [ids]);
}

/** Opens and closes pauses so that they say what the tests say now. */
async function notePauses(sql: TenantSql, tests: readonly Test[]): Promise<void> {
  const paused = tests.filter(({ enabled }) => !enabled);
  const running = tests.filter(({ enabled }) => enabled);
  if (paused.length > 0)
    await sql.query(
      `INSERT INTO synthetic_test_pauses (tenant_id, test_id, from_at)
       SELECT current_setting('app.tenant_id'), p.id, p.at FROM unnest($1::uuid[], $2::timestamptz[]) AS p(id, at)
       WHERE NOT EXISTS (SELECT FROM synthetic_test_pauses o WHERE o.test_id = p.id AND o.to_at IS NULL)
       ON CONFLICT DO NOTHING`,
      [paused.map(({ id }) => id), paused.map(({ updated_at }) => updated_at)],
    );
  if (running.length > 0)
    await sql.query(
      `UPDATE synthetic_test_pauses o SET to_at = r.at FROM unnest($1::uuid[], $2::timestamptz[]) AS r(id, at)
       WHERE o.test_id = r.id AND o.to_at IS NULL`,
      [running.map(({ id }) => id), running.map(({ updated_at }) => updated_at)],
    );
}

export interface Pause {
  testId: string;
  fromMs: number;
  toMs: number | undefined;
}

/** When some tests were to run: pauses that touch what comes after a time, and since when their rhythm is what it is. */
export interface Rhythms {
  pauses: Pause[];
  /** By id; of a test that is not in it since it was made. */
  scheduledAtMs: ReadonlyMap<string, number>;
}

export async function readRhythms(sql: TenantSql, ids: readonly string[], since: Date): Promise<Rhythms> {
  const { rows } = await sql.query<{ test_id: string; from_at: Date; to_at: Date | null }>(
    `SELECT test_id, from_at, to_at FROM synthetic_test_pauses
     WHERE test_id = ANY ($1::uuid[]) AND (to_at IS NULL OR to_at > $2) ORDER BY test_id, from_at`,
    [ids, since],
  );
  const scheduled = await sql.query<{ id: string; scheduled_at: Date }>(
    'SELECT id, scheduled_at FROM synthetic_tests WHERE id = ANY ($1::uuid[]) AND scheduled_at IS NOT NULL',
    [ids],
  );
  return {
    pauses: rows.map(({ test_id, from_at, to_at }) => ({
      testId: test_id,
      fromMs: from_at.getTime(),
      toMs: to_at?.getTime(),
    })),
    scheduledAtMs: new Map(scheduled.rows.map(({ id, scheduled_at }) => [id, scheduled_at.getTime()])),
  };
}
