import { setTimeout as sleep } from 'node:timers/promises';
import { FleetFilter, type FleetSort, SORT_COLUMNS, type SortColumn } from '@svc/contracts/endpoint/view';
import { BYTE_ORDER_MARK, csvLine } from '@svc/contracts/words/csv';
import { AppError, type Ctx, type Fault } from '#kernel';
import type { CsvInput } from '../api.ts';
import type { EndpointDeps } from '../context.ts';
import { ROW_COLUMNS, readHealth, readRowVerdict, type SummaryRow } from './fleet-rows.ts';
import { createSqlParts, filterSql, sortSql, verdictSql } from './fleet-sql.ts';

/** Made into text in one go: a few milliseconds in which nobody else has the event loop. */
const ROWS_PER_FETCH = 100;
/** An export rests after each part for twice as long as that took, so that pages come in between; at most so long. */
const MAX_REST_MS = 50;
const MAX_ROWS = 100_000;

const HEADER = [
  'id',
  'name',
  'owner',
  'site',
  'verdict',
  'health',
  'fault',
  'summary',
  'confidence',
  'verdict_since',
  'layers_measured',
  'layers_needed',
  'flips',
  'connection',
  'wifi_rssi_dbm',
  'wifi_signal_percent',
  'gateway_address',
  'gateway_rtt_ms',
  'gateway_loss_ratio',
  'isp_rtt_ms',
  'isp_loss_ratio',
  'worst_session_ms',
  'worst_session_target',
  'sessions_failed',
  'sessions_judged',
  'failed_session_target',
  'failed_session_phase',
  'os',
  'os_version',
  'agent_version',
  'ring',
  'state',
  'simulated',
  'enrolled_at',
  'last_contact_at',
  'paused_until',
  'face',
  'missing_permissions',
  'disclosure',
] as const;

function toLine(row: SummaryRow): string {
  const said = readRowVerdict(row);
  const { judged: _measures, ...verdict } = said;
  const flat = {
    ...row,
    ...verdict,
    health: readHealth(row, said),
    fault: verdict.fault?.kind ?? null,
    layers_measured: verdict.coverage?.measured.join(' ') ?? null,
    layers_needed: verdict.coverage?.needed.join(' ') ?? null,
    id: row.agent_id,
    simulated: row.simulated ? 'true' : 'false',
    enrolled_at: row.enrolled_at.toISOString(),
    last_contact_at: row.last_contact_at?.toISOString() ?? null,
    paused_until: row.paused_until?.toISOString() ?? null,
    missing_permissions: row.missing_permissions?.join(' ') ?? null,
  };
  return csvLine(HEADER.map((column) => flat[column]));
}

const toList = (value: string | string[] | undefined): string[] | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? [value] : value;

const isSortColumn = (text: string): text is SortColumn => (SORT_COLUMNS as readonly string[]).includes(text);

/** Filters and sort of a URL in the narrow types of the table; `validation` names every fault. */
export function readCsvInput({ sort, ...input }: CsvInput): { filter: FleetFilter; sort: FleetSort } {
  const number = (value: string | undefined) =>
    value === undefined ? undefined : value.trim() === '' ? Number.NaN : Number(value);
  const parsed = FleetFilter.safeParse({
    search: input.search,
    verdict: toList(input.verdict),
    health: toList(input.health),
    fault: toList(input.fault),
    site: toList(input.site),
    os: toList(input.os),
    agent_version: toList(input.agent_version),
    ring: toList(input.ring),
    connection: toList(input.connection),
    face: toList(input.face),
    missing_permission: toList(input.missing_permission),
    gateway: input.gateway,
    contact_within_minutes: number(input.contact_within_minutes),
    silent_for_minutes: number(input.silent_for_minutes),
    wifi_rssi_below: number(input.wifi_rssi_below),
    gateway_rtt_above: number(input.gateway_rtt_above),
    isp_rtt_above: number(input.isp_rtt_above),
    session_above_ms: number(input.session_above_ms),
  });
  const faults: Fault[] = (parsed.error?.issues ?? []).map(({ path, message }) => ({ path: path.join('.'), message }));
  const keys = (toList(sort) ?? []).map((text) => ({ column: text.replace(/^-/, ''), desc: text.startsWith('-') }));
  const known = keys.flatMap(({ column, desc }) => (isSortColumn(column) ? [{ column, desc }] : []));
  if (known.length < keys.length || keys.length > 4) faults.push({ path: 'sort', message: 'At most 4 columns of the table.' });
  if (!parsed.success || faults.length > 0) throw new AppError('validation', 'The filters are not valid.', { faults });
  return { filter: parsed.data, sort: known };
}

/** Every row that matches, over all pages, read a part at a time; formula-safe, and marked as UTF-8 for spreadsheets. */
export async function exportCsv({ relational, clock }: EndpointDeps, ctx: Ctx, input: CsvInput): Promise<string> {
  const { filter, sort } = readCsvInput(input);
  const nowMs = clock.now();
  const parts = createSqlParts();
  const verdict = verdictSql(parts, nowMs);
  const where = filterSql(filter, verdict, { parts, nowMs });
  const text = `DECLARE endpoint_csv NO SCROLL CURSOR FOR SELECT ${ROW_COLUMNS}, ${verdict} AS verdict FROM endpoint_summary s
    WHERE ${where} ORDER BY ${sortSql(sort, verdict)} LIMIT ${MAX_ROWS}`;
  return await relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    await sql.query(text, parts.values);
    const chunks = [BYTE_ORDER_MARK, csvLine(HEADER)];
    for (;;) {
      ctx.ended?.throwIfAborted();
      const start = performance.now();
      const { rows } = await sql.query<SummaryRow>(`FETCH ${ROWS_PER_FETCH} FROM endpoint_csv`);
      if (rows.length === 0) return chunks.join('');
      chunks.push(rows.map(toLine).join(''));
      await sleep(Math.min(MAX_REST_MS, 2 * (performance.now() - start)));
    }
  });
}
