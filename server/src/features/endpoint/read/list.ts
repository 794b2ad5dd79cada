import type { EndpointPage, FleetFilter, StripHour } from '@svc/contracts/endpoint/view';
import type { Cause } from '@svc/contracts/verdict';
import type { Ctx, TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { ListInput } from '../api.ts';
import type { EndpointContext } from '../context.ts';
import { nameHours } from '../domain/silences.ts';
import { isCollectorRunning } from '../heartbeat.ts';
import { readSilences } from '../state-changes.ts';
import { ROW_COLUMNS, type SummaryRow, toEndpointRow } from './fleet-rows.ts';
import { createSqlParts, filterSql, sortSql, verdictSql } from './fleet-sql.ts';

const HOUR_MS = 3_600_000;
const HOURS = 24;

async function countRows(sql: TenantSql, filter: FleetFilter, nowMs: number): Promise<{ matched: number; total: number }> {
  const parts = createSqlParts();
  const where = filterSql(filter, verdictSql(parts, nowMs), { parts, nowMs });
  const matched = where === 'true' ? 'count(*)' : `count(*) FILTER (WHERE ${where})`;
  // The verdict's two times are parameters of every text, used or not.
  const text = `SELECT (${matched})::int AS matched, count(*)::int AS total FROM endpoint_summary s
    WHERE $1::timestamptz IS NOT NULL AND $2::timestamptz IS NOT NULL`;
  const { rows } = await sql.query<{ matched: number; total: number }>(text, parts.values);
  return rows[0] ?? { matched: 0, total: 0 };
}

/** One page: the ids are sorted first, without the rest of the rows, which are then read for the page alone. */
async function readPage(sql: TenantSql, input: ListInput, nowMs: number): Promise<SummaryRow[]> {
  const parts = createSqlParts();
  const verdict = verdictSql(parts, nowMs);
  const where = filterSql(input.filter, verdict, { parts, nowMs });
  const order = sortSql(input.sort, verdict);
  const bounds = `LIMIT ${parts.add(input.limit)} OFFSET ${parts.add(input.offset)}`;
  const text = `SELECT ${ROW_COLUMNS}, ${verdict} AS verdict
    FROM (SELECT s.agent_id, row_number() OVER () AS place FROM (
      SELECT s.agent_id FROM endpoint_summary s WHERE ${where} ORDER BY ${order} ${bounds}) s) page
    JOIN endpoint_summary s ON s.tenant_id = current_setting('app.tenant_id') AND s.agent_id = page.agent_id
    ORDER BY page.place`;
  return (await sql.query<SummaryRow>(text, parts.values)).rows;
}

/** The last 24 hours of some agents, hour by hour: what ruled it, else whether a person wanted silence, else `not_measured`. */
export async function readStrips(
  { results, relational, clock }: EndpointContext,
  tenant: TenantId,
  agentIds: readonly string[],
): Promise<(id: string) => StripHour[]> {
  const nowMs = clock.now();
  const toMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS;
  const query = { agentIds, stepMs: HOUR_MS, fromMs: toMs - HOURS * HOUR_MS, toMs };
  if (agentIds.length === 0) return () => [];
  const [causes, silences] = await Promise.all([
    results.causeStrip(tenant, query),
    readSilences(relational, tenant, { agentIds, fromMs: query.fromMs, toMs: nowMs }),
  ]);
  const none = Array.from({ length: HOURS }, (): Cause | null => null);
  return (id) => nameHours(causes.get(id) ?? none, silences.get(id) ?? [], { ...query, nowMs });
}

/** One page of the fleet table: filtered, sorted and cut by the database, with the strips of its rows. */
export async function listEndpoints(deps: EndpointContext, ctx: Ctx, input: ListInput): Promise<EndpointPage> {
  const { relational, clock } = deps;
  const { tenant } = ctx.principal;
  const nowMs = clock.now();
  const inTenant = async <T>(work: (sql: TenantSql) => Promise<T>) => await relational.withTenantSql(tenant, work);
  const [counts, rows, newest, running] = await Promise.all([
    inTenant(async (sql) => await countRows(sql, input.filter, nowMs)),
    inTenant(async (sql) => await readPage(sql, input, nowMs)),
    deps.newestVersionOf(tenant),
    isCollectorRunning(relational),
  ]);
  const strips = await readStrips(
    deps,
    tenant,
    rows.map((row) => row.agent_id),
  );
  return {
    items: rows.map((row) => toEndpointRow(row, strips(row.agent_id), newest)),
    ...counts,
    collector_running: running,
    computed_at: new Date(nowMs).toISOString(),
  };
}
