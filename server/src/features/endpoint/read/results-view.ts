import { countOfPage } from '#api';
import { AppError, type Ctx, type TenantId } from '#kernel';
import type { HistoryInput, HistoryPage, LatestInput, LatestPage } from '../api.ts';
import type { EndpointDeps, StoredResult, TimeWindow } from '../context.ts';
import { isCollectorRunning } from '../heartbeat.ts';

const DAY_MS = 86_400_000;
const MAX_WINDOW_MS = 31 * DAY_MS;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A window of a device page: the last 24 hours by default; `validation` when it is empty or longer than `maxMs`, 31 days by default. */
export function readWindow(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  nowMs: number,
  maxMs = MAX_WINDOW_MS,
): TimeWindow {
  const toMs = to === undefined ? nowMs : Date.parse(to);
  const fromMs = from === undefined ? toMs - DAY_MS : Date.parse(from);
  if (fromMs < toMs && toMs - fromMs <= maxMs) return { fromMs, toMs };
  const faults = [{ path: 'from', message: `Before \`to\`, and at most ${maxMs / DAY_MS} days.` }];
  throw new AppError('validation', 'The time window is not valid.', { faults });
}

const encodeCursor = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');
const decodeCursor = (cursor: string): string => Buffer.from(cursor, 'base64url').toString('utf8');
const badCursor = () =>
  new AppError('validation', 'The cursor is not valid.', { faults: [{ path: 'cursor', message: 'not valid' }] });

interface LatestRow {
  agent_id: string;
  name: string | null;
  site: string | null;
  state: string;
  simulated: boolean;
  last_contact_at: string | null;
}

/** Rows as one text of JSON, and instants as they are shown: a thousand rows of columns take the thread several times as long. */
const LATEST_SQL = `SELECT coalesce(json_agg(one ORDER BY one.agent_id), '[]')::text AS rows FROM (
  SELECT agent_id, name, site, state, simulated,
    to_char(last_contact_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS last_contact_at
  FROM endpoint_summary WHERE agent_id > $1 ORDER BY agent_id LIMIT $2) one`;

/** `GET /v1/endpoints`: every endpoint by id with its newest result of each signal type (docs/contract/results.md). */
export async function listLatest(deps: EndpointDeps, ctx: Ctx, { limit, cursor }: LatestInput): Promise<LatestPage> {
  const { tenant } = ctx.principal;
  const after = cursor === undefined ? FIRST_ID : decodeCursor(cursor);
  if (!UUID.test(after)) throw badCursor();
  const running = isCollectorRunning(deps.relational);
  const rows = await deps.relational.withTenantSql(tenant, async (sql) => {
    const { rows: found } = await sql.query<{ rows: string }>(LATEST_SQL, [after, limit + 1]);
    return JSON.parse(found[0]?.rows ?? '[]') as LatestRow[];
  });
  const page = rows.slice(0, limit);
  const agentIds = page.map((row) => row.agent_id);
  const signals = agentIds.length > 0 ? await deps.results.latestOf(tenant, { agentIds }) : new Map<string, StoredResult[]>();
  const items = page.map((row) => ({
    endpoint_id: row.agent_id,
    name: row.name,
    site: row.site,
    state: row.state,
    simulated: row.simulated,
    last_contact_at: row.last_contact_at,
    signals: (signals.get(row.agent_id) ?? []).map((result) => deps.toCanonical(tenant, result)),
  }));
  const shown = countOfPage(items);
  const last = rows.length > shown ? page[shown - 1] : undefined;
  return {
    items: items.slice(0, shown),
    next_cursor: last ? encodeCursor(last.agent_id) : null,
    collector_running: await running,
  };
}

/** Refuses an id that this tenant does not have, whatever the stores hold. */
export async function refuseUnknownEndpoint({ relational }: EndpointDeps, tenant: TenantId, id: string): Promise<void> {
  const { rowCount } = await relational.withTenantSql(tenant, async (sql) => {
    return await sql.query('SELECT 1 FROM endpoint_summary WHERE agent_id = $1', [id]);
  });
  if (rowCount === 0) throw new AppError('not_found', 'There is no such endpoint.');
}

const readHistoryCursor = (cursor: string): { startedAtMs: number; resultId: string } => {
  const [at = '', resultId = '', ...more] = decodeCursor(cursor).split(' ');
  if (!/^\d{1,16}$/.test(at) || !UUID.test(resultId) || more.length > 0) throw badCursor();
  return { startedAtMs: Number(at), resultId };
};

/** Results of one endpoint, newest first. The cursor is the time and id of the last one given: of one length, however many share its millisecond. */
export async function listHistory(deps: EndpointDeps, ctx: Ctx, input: HistoryInput): Promise<HistoryPage> {
  const { tenant } = ctx.principal;
  await refuseUnknownEndpoint(deps, tenant, input.id);
  const window = readWindow(input, deps.clock.now());
  const before = input.cursor === undefined ? undefined : readHistoryCursor(input.cursor);
  const found = await deps.results.history(tenant, {
    agentId: input.id,
    ...(input.type ? { type: input.type } : {}),
    ...window,
    ...(before && { before }),
    limit: input.limit + 1,
  });
  const newestFirst = found.reverse().slice(0, input.limit);
  const page = newestFirst.slice(0, countOfPage(newestFirst));
  const last = found.length > page.length ? page.at(-1) : undefined;
  return {
    items: page.map((result) => deps.toCanonical(tenant, result)),
    next_cursor: last ? encodeCursor(`${last.startedAtMs} ${last.resultId}`) : null,
  };
}
