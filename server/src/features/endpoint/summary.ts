import type { FleetSummary, Verdict } from '@svc/contracts/endpoint-view';
import type { Cause } from '@svc/contracts/verdict';
import type { Ctx } from '#kernel';
import type { TenantSql } from '#relational';
import type { EndpointDeps } from './context.ts';
import { findSharedCauses } from './domain/shared-causes.ts';
import { createSqlParts, verdictSql } from './fleet-sql.ts';
import { isCollectorRunning } from './heartbeat.ts';

const HOUR_MS = 3_600_000;
const HOURS = 24;
const MAX_FACETS = 500;
const MAX_SHARED = 50;

async function countVerdicts(sql: TenantSql, nowMs: number): Promise<FleetSummary['counts']> {
  const parts = createSqlParts();
  const text = `SELECT ${verdictSql(parts, nowMs)} AS verdict, count(*)::int AS count FROM endpoint_summary s GROUP BY 1`;
  const { rows } = await sql.query<{ verdict: Verdict; count: number }>(text, parts.values);
  return rows;
}

async function readFacets(sql: TenantSql): Promise<Pick<FleetSummary, 'sites' | 'os' | 'agent_versions' | 'simulated'>> {
  interface Facet {
    kind: 'site' | 'os' | 'version' | 'simulated';
    value: string;
  }
  const facet = (kind: string, column: string, order = column) =>
    `(SELECT '${kind}' AS kind, ${column} AS value FROM endpoint_summary WHERE ${column} IS NOT NULL
      GROUP BY ${column}${order === column ? '' : `, ${order}`} ORDER BY ${order} LIMIT ${MAX_FACETS})`;
  const simulated = `(SELECT 'simulated', 'true' FROM endpoint_summary WHERE simulated LIMIT 1)`;
  const facets = [facet('site', 'site'), facet('os', 'os'), facet('version', 'agent_version', 'agent_version_sort')];
  const { rows } = await sql.query<Facet>([...facets, simulated].join(' UNION ALL '));
  const of = (kind: Facet['kind']) => rows.filter((row) => row.kind === kind).map((row) => row.value);
  return { sites: of('site'), os: of('os'), agent_versions: of('version'), simulated: of('simulated').length > 0 };
}

async function readShared(sql: TenantSql, nowMs: number): Promise<FleetSummary['shared']> {
  const parts = createSqlParts();
  const verdict = verdictSql(parts, nowMs);
  interface Group {
    site: string;
    gateway: string | null;
    cause: Cause;
    count: number;
    since: Date | null;
  }
  // Only devices that have a verdict now: a silent one is neither affected nor fine.
  const text = `SELECT s.site, s.gateway_address AS gateway, s.cause, count(*)::int AS count, min(s.verdict_since) AS since
    FROM endpoint_summary s WHERE s.site IS NOT NULL AND s.cause = (${verdict}) GROUP BY 1, 2, 3`;
  const { rows } = await sql.query<Group>(text, parts.values);
  const groups = rows.map(({ since, ...group }) => ({ ...group, sinceMs: since?.getTime() ?? null }));
  return findSharedCauses(groups)
    .slice(0, MAX_SHARED)
    .map(({ sinceMs, ...shared }) => ({ ...shared, since: sinceMs === null ? null : new Date(sinceMs).toISOString() }));
}

/** The fleet in one look: how many of each verdict, what the slow ones share, and the words that filters can take. */
export async function summariseFleet({ relational, results, clock }: EndpointDeps, ctx: Ctx): Promise<FleetSummary> {
  const { tenant } = ctx.principal;
  const nowMs = clock.now();
  const toMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS;
  const [view, slowByHour, running] = await Promise.all([
    relational.withTenantSql(tenant, async (sql) => ({
      counts: await countVerdicts(sql, nowMs),
      shared: await readShared(sql, nowMs),
      ...(await readFacets(sql)),
    })),
    results.slowByStep(tenant, { fromMs: toMs - HOURS * HOUR_MS, toMs, stepMs: HOUR_MS }),
    isCollectorRunning(relational),
  ]);
  return {
    total: view.counts.reduce((sum, { count }) => sum + count, 0),
    ...view,
    slow_by_hour: slowByHour,
    collector_running: running,
    computed_at: new Date(nowMs).toISOString(),
  };
}
