import type { FleetSummary, Verdict } from '@svc/contracts/endpoint/view';
import { FAULT_KINDS, type FaultKind } from '@svc/contracts/fault-kinds';
import type { Health } from '@svc/contracts/judged/healths';
import type { Cause } from '@svc/contracts/verdict';
import type { Ctx } from '#kernel';
import type { TenantSql } from '#relational';
import type { EndpointDeps } from '../context.ts';
import { findSharedCauses, type VerdictGroup } from '../domain/shared-causes.ts';
import { isCollectorRunning } from '../heartbeat.ts';
import { createSqlParts, faultSql, healthSql, verdictSql } from './fleet-sql.ts';

const HOUR_MS = 3_600_000;
const HOURS = 24;
const MAX_FACETS = 500;
const MAX_SHARED = 50;

interface VerdictGroupRow {
  verdict: Verdict;
  site: string | null;
  gateway: string | null;
  /** Null also where groups are not told apart by it. */
  fault: FaultKind | null;
  is_judged: boolean;
  count: number;
  since: Date | null;
}

/** One scan for all that goes by verdict. A device without a site shares no gateway with anybody, so it needs no group of its own. */
export async function readVerdictGroups(sql: TenantSql, nowMs: number, { byFault = false } = {}): Promise<VerdictGroupRow[]> {
  const parts = createSqlParts();
  const text = `SELECT verdict, site, gateway, fault, verdict = cause AS is_judged, count(*)::int AS count, percentile_disc(0.5) WITHIN GROUP (ORDER BY verdict_since) AS since
    FROM (SELECT ${verdictSql(parts, nowMs)} AS verdict, s.cause, s.site, s.verdict_since, ${byFault ? 's.fault_kind' : 'NULL'} AS fault,
      CASE WHEN s.site IS NOT NULL THEN s.gateway_address END AS gateway FROM endpoint_summary s) s
    GROUP BY verdict, site, gateway, fault, 5`;
  return (await sql.query<VerdictGroupRow>(text, parts.values)).rows;
}

interface HealthRow {
  health: Health;
  fault: FaultKind | null;
  count: number;
}

/** Apart from the groups above, whose halves date what is shared and would be cut smaller by it. */
async function readHealths(sql: TenantSql, nowMs: number): Promise<Pick<FleetSummary, 'healths' | 'faults'>> {
  const parts = createSqlParts();
  const text = `SELECT health, fault, count(*)::int AS count FROM
    (SELECT ${healthSql('s.verdict')} AS health, ${faultSql('s.verdict')} AS fault
      FROM (SELECT ${verdictSql(parts, nowMs)} AS verdict, s.cause, s.health, s.fault_kind FROM endpoint_summary s) s) s
    WHERE health IS NOT NULL GROUP BY health, fault`;
  const { rows } = await sql.query<HealthRow>(text, parts.values);
  const healths = new Map<Health, number>();
  const faults = new Map<FaultKind, number>();
  for (const { health, fault, count } of rows) {
    healths.set(health, count + (healths.get(health) ?? 0));
    if (fault !== null && FAULT_KINDS.includes(fault)) faults.set(fault, count + (faults.get(fault) ?? 0));
  }
  return {
    healths: [...healths].map(([health, count]) => ({ health, count })),
    faults: [...faults].map(([fault, count]) => ({ fault, count })).sort((a, b) => b.count - a.count),
  };
}

interface FacetRow {
  os: string | null;
  version: string | null;
  version_sort: string | null;
  simulated: boolean;
}

/** One scan for the words that filters take. */
async function readFacets(sql: TenantSql): Promise<Pick<FleetSummary, 'os' | 'agent_versions' | 'simulated'>> {
  const text = `SELECT os, agent_version AS version, agent_version_sort AS version_sort, bool_or(simulated) AS simulated
    FROM endpoint_summary GROUP BY 1, 2, 3 LIMIT 10000`;
  const { rows } = await sql.query<FacetRow>(text);
  const versions = new Map(rows.flatMap((row) => (row.version === null ? [] : [[row.version, row.version_sort ?? ''] as const])));
  return {
    os: sortedWords(rows.map((row) => row.os)),
    agent_versions: [...versions]
      .sort(([, a], [, b]) => (a < b ? -1 : 1))
      .map(([version]) => version)
      .slice(-MAX_FACETS),
    simulated: rows.some((row) => row.simulated),
  };
}

const sortedWords = (words: readonly (string | null)[]): string[] =>
  [...new Set(words.filter((word) => word !== null))]
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .slice(0, MAX_FACETS);

function countVerdicts(groups: readonly VerdictGroupRow[]): FleetSummary['counts'] {
  const counts = new Map<Verdict, number>();
  for (const { verdict, count } of groups) counts.set(verdict, count + (counts.get(verdict) ?? 0));
  return [...counts].map(([verdict, count]) => ({ verdict, count }));
}

/** Only devices that have a verdict now: a silent one is neither affected nor fine. */
export const judgedGroups = (groups: readonly VerdictGroupRow[]): VerdictGroup[] =>
  groups.flatMap(({ verdict, site, gateway, fault, is_judged: isJudged, count, since }) =>
    isJudged && site !== null
      ? [{ site, gateway, cause: verdict as Cause, fault, count, sinceMs: since?.getTime() ?? null }]
      : [],
  );

function readShared(groups: readonly VerdictGroupRow[]): FleetSummary['shared'] {
  return findSharedCauses(judgedGroups(groups))
    .slice(0, MAX_SHARED)
    .map(({ sinceMs, ...shared }) => ({ ...shared, since: sinceMs === null ? null : new Date(sinceMs).toISOString() }));
}

/** The fleet in one look: how many of each verdict, what the slow ones share, and the words that filters can take. */
export async function summariseFleet({ relational, results, clock }: EndpointDeps, ctx: Ctx): Promise<FleetSummary> {
  const { tenant } = ctx.principal;
  const nowMs = clock.now();
  const toMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS;
  const [groups, healths, facets, slowByHour, running] = await Promise.all([
    relational.withTenantSql(tenant, async (sql) => await readVerdictGroups(sql, nowMs)),
    relational.withTenantSql(tenant, async (sql) => await readHealths(sql, nowMs)),
    relational.withTenantSql(tenant, readFacets),
    results.slowByStep(tenant, { fromMs: toMs - HOURS * HOUR_MS, toMs, stepMs: HOUR_MS }),
    isCollectorRunning(relational),
  ]);
  return {
    total: groups.reduce((sum, { count }) => sum + count, 0),
    counts: countVerdicts(groups),
    ...healths,
    shared: readShared(groups),
    sites: sortedWords(groups.map((group) => group.site)),
    ...facets,
    slow_by_hour: slowByHour,
    collector_running: running,
    computed_at: new Date(nowMs).toISOString(),
  };
}
