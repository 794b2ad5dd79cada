import type { FleetFilter, FleetSort, SortColumn } from '@svc/contracts/endpoint/view';
import { CAUSES, NO_CONTACT_AFTER_MS } from '@svc/contracts/verdict';
import { searchSql } from './search-sql.ts';

/** SQL with its parameters; `add` gives the place of a value. */
export interface SqlParts {
  values: unknown[];
  add(value: unknown): string;
}

// PostgreSQL takes no NUL in a text, and no row has one.
const storable = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replaceAll('\0', '');
  return Array.isArray(value) ? value.map(storable) : value;
};

export function createSqlParts(): SqlParts {
  const values: unknown[] = [];
  return {
    values,
    add(value) {
      values.push(storable(value));
      return `$${values.length}`;
    },
  };
}

/**
 * The verdict column as SQL over `endpoint_summary s`: states that mean silence first (a pause is never shown as a missing device while
 * it lasts), then silence itself, then the cause where one was computed lately. A device whose clock is behind is given as much more time; one whose clock is ahead was clamped when it sent.
 */
export function verdictSql(parts: SqlParts, nowMs: number): string {
  const silent = `${parts.add(new Date(nowMs - NO_CONTACT_AFTER_MS))}::timestamptz`;
  const now = `${parts.add(new Date(nowMs))}::timestamptz`;
  return `CASE
    WHEN s.state = 'update_required' THEN 'update_required'
    WHEN s.state = 'declined' THEN 'declined'
    WHEN s.last_contact_at IS NULL THEN 'pending'
    WHEN s.state = 'paused' AND s.paused_until > ${now} THEN 'paused'
    WHEN s.last_contact_at < ${silent} THEN 'no_contact'
    WHEN s.state = 'paused' AND s.paused_until IS NULL THEN 'paused'
    WHEN s.cause IS NOT NULL AND s.cause_at - least(s.clock_skew_ms, 0) * interval '1 ms' > ${silent} THEN s.cause
    WHEN s.state = 'needs_permission' THEN 'needs_permission'
    ELSE 'pending' END`;
}

/**
 * How well a device with a verdict is; null for one without. An agent that does not say what it measured is taken at its word.
 */
export const healthSql = (verdict: string): string =>
  `CASE WHEN (${verdict}) = s.cause THEN coalesce(s.health, CASE WHEN s.cause = 'none' THEN 'healthy' ELSE 'slow' END) END`;

/** The kind of fault of a device with a verdict. */
export const faultSql = (verdict: string): string => `CASE WHEN (${verdict}) = s.cause THEN s.fault_kind END`;

/** A device with a session that failed is slower than any other: nobody knows when it would have answered. */
const SESSION_MS = "CASE WHEN s.sessions_failed > 0 THEN 'infinity'::double precision ELSE s.worst_session_ms END";

/** The conditions of a filter over `endpoint_summary s`, AND-ed; `true` without any. `verdict` is the expression above. */
export function filterSql(filter: FleetFilter, verdict: string, { parts, nowMs }: { parts: SqlParts; nowMs: number }): string {
  const conditions: string[] = [];
  const oneOf = (column: string, list: readonly string[] | undefined) => {
    if (list && list.length > 0) conditions.push(`${column} = ANY(${parts.add(list)}::text[])`);
  };
  const bound = (column: string, operator: '<=' | '>=', value: number | undefined) => {
    if (value !== undefined) conditions.push(`${column} ${operator} ${parts.add(value)}::double precision`);
  };
  const search = filter.search?.trim();
  if (search) conditions.push(searchSql(search, { parts, nowMs }));
  oneOf(`(${verdict})`, filter.verdict);
  oneOf(`(${healthSql(verdict)})`, filter.health);
  oneOf(`(${faultSql(verdict)})`, filter.fault);
  oneOf('s.site', filter.site);
  oneOf('s.os', filter.os);
  oneOf('s.agent_version', filter.agent_version);
  oneOf('s.ring', filter.ring);
  oneOf('s.connection', filter.connection);
  oneOf('s.face', filter.face);
  if (filter.missing_permission && filter.missing_permission.length > 0)
    conditions.push(`s.missing_permissions && ${parts.add(filter.missing_permission)}::text[]`);
  if (filter.gateway !== undefined) conditions.push(`s.gateway_address = ${parts.add(filter.gateway)}`);
  if (filter.contact_within_minutes !== undefined) {
    conditions.push(`s.last_contact_at > ${parts.add(new Date(nowMs - filter.contact_within_minutes * 60_000))}::timestamptz`);
  }
  if (filter.silent_for_minutes !== undefined) {
    const since = parts.add(new Date(nowMs - filter.silent_for_minutes * 60_000));
    conditions.push(`(s.last_contact_at <= ${since}::timestamptz OR s.last_contact_at IS NULL)`);
  }
  bound('s.wifi_rssi_dbm', '<=', filter.wifi_rssi_below);
  bound('s.gateway_rtt_ms', '>=', filter.gateway_rtt_above);
  bound('s.isp_rtt_ms', '>=', filter.isp_rtt_above);
  bound(SESSION_MS, '>=', filter.session_above_ms);
  return conditions.length > 0 ? conditions.join(' AND ') : 'true';
}

const SLOW = CAUSES.filter((cause) => cause !== 'none')
  .map((cause) => `'${cause}'`)
  .join(', ');

// Slow, then no verdict, then healthy: a device without a verdict may need a look, a healthy one does not.
const rankSql = (verdict: string): string =>
  `CASE WHEN (${verdict}) IN (${SLOW}) THEN 0 WHEN (${verdict}) = 'none' THEN 2 ELSE 1 END`;

const SORT_SQL: Readonly<Record<Exclude<SortColumn, 'verdict' | 'verdict_since'>, string>> = {
  name: 'lower(s.name)',
  owner: 'lower(s.owner)',
  site: 'lower(s.site)',
  wifi_rssi_dbm: 's.wifi_rssi_dbm',
  wifi_signal_percent: 's.wifi_signal_percent',
  gateway_rtt_ms: 's.gateway_rtt_ms',
  gateway_loss_ratio: 's.gateway_loss_ratio',
  isp_rtt_ms: 's.isp_rtt_ms',
  isp_loss_ratio: 's.isp_loss_ratio',
  worst_session_ms: SESSION_MS,
  os: 'lower(s.os)',
  agent_version: 's.agent_version_sort',
  last_contact_at: 's.last_contact_at',
};

/** ORDER BY of a sort; what was not measured comes last either way, and the id makes every order total. */
export function sortSql(sort: FleetSort, verdict: string): string {
  const keySql = (column: SortColumn): string => {
    if (column === 'verdict') return rankSql(verdict);
    // A cause that is not shown any more has no "since" that is.
    if (column === 'verdict_since') return `CASE WHEN (${verdict}) = s.cause THEN s.verdict_since END`;
    return SORT_SQL[column];
  };
  const keys = sort.map(({ column, desc }) => {
    const key = keySql(column);
    return `${key} ${desc ? 'DESC' : 'ASC'} NULLS LAST`;
  });
  return [...keys, 's.agent_id'].join(', ');
}
