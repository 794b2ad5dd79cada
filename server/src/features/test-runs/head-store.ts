import type { CertificateFacts, RunFault } from '@svc/contracts/tests/run-report';
import type { TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { EndingCertificate, FullHead, HeadQueries, RunHead, ShownRun } from './queries.ts';

interface Row {
  test_id: string;
  runner_id: string;
  last_at: number;
  last_ok: boolean;
  last_fault: string;
  last_ms: number;
  failing: boolean;
  since: number | null;
  latched_at: number | null;
  expires_at: number | null;
  certificate_at: number | null;
  measured_at: number | null;
  resumed_at: number | null;
}

interface FullRow extends Row {
  last: ShownRun;
  certificate: CertificateFacts | null;
  certificate_changed_at: number | null;
}

/** Times come as milliseconds, so that no Date is made of each. */
export const milliseconds = (column: string, name = column): string =>
  `(extract(epoch FROM ${column}) * 1000)::double precision AS ${name}`;

const COLUMNS = [
  'test_id, runner_id, last_ok, last_fault, failing, last_ms',
  ...['last_at', 'since', 'latched_at', 'expires_at', 'certificate_at', 'measured_at', 'resumed_at'].map((name) =>
    milliseconds(name),
  ),
].join(', ');
/** Heads with the end of the last pause of their tests. */
const HEADS = `synthetic_test_heads LEFT JOIN (SELECT test_id, max(to_at) AS resumed_at FROM synthetic_test_pauses GROUP BY test_id) p
  USING (test_id)`;
const FULL = `${COLUMNS}, last, certificate, ${milliseconds('certificate_changed_at')}`;

const toHead = (row: Row): RunHead => ({
  testId: row.test_id,
  runnerId: row.runner_id,
  lastAtMs: row.last_at,
  lastSucceeded: row.last_ok,
  lastFault: row.last_fault === '' ? undefined : (row.last_fault as RunFault),
  lastMs: row.last_ms,
  failing: row.failing,
  sinceMs: row.since ?? undefined,
  latchedAtMs: row.latched_at ?? undefined,
  certificateEndsMs: row.expires_at ?? undefined,
  certificateSeenMs: row.certificate_at ?? undefined,
  measuredAtMs: row.measured_at ?? undefined,
  resumedAtMs: row.resumed_at ?? undefined,
});

const toFullHead = (row: FullRow): FullHead => ({
  ...toHead(row),
  last: row.last,
  certificate: row.certificate ?? undefined,
  certificateChangedAtMs: row.certificate_changed_at ?? undefined,
});

async function readHeads(sql: TenantSql): Promise<RunHead[]> {
  const { rows } = await sql.query<Row>({ name: 'test-heads', text: `SELECT ${COLUMNS} FROM ${HEADS}` });
  return rows.map(toHead);
}

async function readHeadsOf(sql: TenantSql, testIds: readonly string[]): Promise<FullHead[]> {
  const text = `SELECT ${FULL} FROM ${HEADS} WHERE test_id = ANY ($1::uuid[]) ORDER BY test_id, runner_id`;
  return (await sql.query<FullRow>({ name: 'test-heads-of', text, values: [testIds] })).rows.map(toFullHead);
}

/** Certificates have 50 names at most. */
const MOST_CERTIFICATES = 100;

async function readEnding(sql: TenantSql, beforeMs: number): Promise<EndingCertificate[]> {
  const text = `SELECT DISTINCT ON (expires_at, certificate ->> 'fingerprint') ${milliseconds('expires_at')}, certificate -> 'names' AS names
    FROM synthetic_test_heads WHERE certificate IS NOT NULL AND expires_at < to_timestamp($1 / 1000.0)
    ORDER BY expires_at, certificate ->> 'fingerprint' LIMIT ${MOST_CERTIFICATES}`;
  const { rows } = await sql.query<{ expires_at: number; names: string[] }>(text, [beforeMs]);
  return rows.map(({ expires_at: endsMs, names }) => ({ endsMs, names }));
}

/** Read as part of requests and of periodic work alike, so on the system's connections. */
export const createHeadQueries = ({ withSystemSql }: Pick<Relational, 'withSystemSql'>): HeadQueries => ({
  heads: (tenant: TenantId) => withSystemSql(tenant, readHeads),
  headsOf: async (tenant, testIds) =>
    testIds.length === 0 ? [] : await withSystemSql(tenant, (sql) => readHeadsOf(sql, testIds)),
  certificatesEnding: (tenant, beforeMs) => withSystemSql(tenant, (sql) => readEnding(sql, beforeMs)),
});
