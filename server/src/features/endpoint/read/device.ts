import { LEAST_USUAL_SESSIONS, USUAL_DAYS } from '@svc/contracts/endpoint/session-phases';
import type { DeviceSeries, DeviceView, EndpointRow } from '@svc/contracts/endpoint/view';
import { adviceWords, chooseAdvice } from '@svc/contracts/judged/advice';
import { decidedBy } from '@svc/contracts/judged/measures';
import { faultLayer } from '@svc/contracts/judged/read-verdict';
import { CAUSES } from '@svc/contracts/verdict';
import { AppError, type Ctx, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { DeviceInput, SeriesInput } from '../api.ts';
import type { EndpointContext, StoredResult } from '../context.ts';
import { alignVerdict } from '../domain/align-verdict.ts';
import { chooseStep } from '../domain/choose-step.ts';
import { listNotShown, readCost, readLayers, readPath, readSession, type SessionPast } from '../domain/device-parts.ts';
import { rowAsOf } from '../domain/row-as-of.ts';
import { listVerdicts, readMeasured, type WindowQuery } from './device-window.ts';
import { ROW_COLUMNS, type SummaryRow, toEndpointRow } from './fleet-rows.ts';
import { createSqlParts, verdictSql } from './fleet-sql.ts';
import { readStrips } from './list.ts';
import { readWindow, refuseUnknownEndpoint } from './results-view.ts';
import { readSharedPlace } from './shared-place.ts';

const DAY_MS = 86_400_000;
/** Hourly roll-ups reach this far back; everything else of a device is kept for a month. */
const MAX_SERIES_MS = 396 * DAY_MS;

const toInstant = (ms: number): string => new Date(ms).toISOString();

async function readRow(sql: TenantSql, id: string, nowMs: number): Promise<SummaryRow> {
  const parts = createSqlParts();
  const text = `SELECT ${ROW_COLUMNS}, ${verdictSql(parts, nowMs)} AS verdict FROM endpoint_summary s WHERE s.agent_id = ${parts.add(id)}`;
  const { rows } = await sql.query<SummaryRow>(text, parts.values);
  const row = rows[0];
  if (!row) throw new AppError('not_found', 'There is no such endpoint.');
  return row;
}

async function readEndpoint(deps: EndpointContext, tenant: TenantId, id: string) {
  const readOne = async (sql: TenantSql) => await readRow(sql, id, deps.clock.now());
  const [row, newest] = await Promise.all([deps.relational.withTenantSql(tenant, readOne), deps.newestVersionOf(tenant)]);
  const strips = await readStrips(deps, tenant, [id]);
  return { row: toEndpointRow(row, strips(id), newest), causeAtMs: row.cause_at?.getTime() ?? null };
}

/** Sums of a window's sessions by target, and of the days before it. */
async function readSessionPasts(deps: EndpointContext, tenant: TenantId, { id, window }: WindowQuery) {
  const before = { fromMs: window.fromMs - USUAL_DAYS * DAY_MS, toMs: window.fromMs };
  const [shown, earlier] = await Promise.all([
    deps.results.sessionTotals(tenant, { agentId: id, ...window }),
    deps.results.sessionTotals(tenant, { agentId: id, ...before }),
  ]);
  const [shownOf, earlierOf] = [shown, earlier].map((sums) => new Map(sums.map((one) => [one.target, one])));
  return {
    usual: { from: toInstant(before.fromMs), to: toInstant(before.toMs), least: LEAST_USUAL_SESSIONS },
    pastOf: (target: string): SessionPast => ({ shown: shownOf?.get(target), earlier: earlierOf?.get(target) }),
  };
}

/** What to try about the row's verdict, and about what others there share with it. */
async function readAdvice(
  deps: EndpointContext,
  tenant: TenantId,
  row: EndpointRow,
): Promise<Pick<DeviceView, 'advice' | 'suggestion'>> {
  const layer = faultLayer(CAUSES.find((one) => one === row.verdict) ?? 'none');
  const advice = chooseAdvice({
    verdict: row.verdict,
    decided: layer === null ? null : decidedBy(row.judged ?? [], layer),
    fault: row.fault,
    gateway: row.gateway_address,
    target: row.session_failures?.target ?? row.worst_session_target,
    pathUnavailable: row.isp_rtt_ms.unavailable,
    shared: await readSharedPlace(deps, tenant, row),
  });
  return { advice, suggestion: advice && adviceWords(advice) };
}

const newestOf = (results: readonly StoredResult[], type: string): StoredResult | undefined =>
  results.filter((result) => result.type === type).sort((a, b) => b.startedAtMs - a.startedAtMs)[0];

/** The row and the attribution whose scores stand beside it: the fleet's for a window up to now, else of the window. */
async function readJudged(deps: EndpointContext, tenant: TenantId, { id, window }: WindowQuery) {
  const measured = await readMeasured(deps, tenant, { id, window });
  const { row, causeAtMs } = await readEndpoint(deps, tenant, id);
  const attribution = newestOf(measured.results, 'endpoint.attribution');
  if (measured.isNow) return { ...measured, ...alignVerdict(row, causeAtMs, attribution) };
  const results = measured.results.map((result) => deps.toCanonical(tenant, result));
  return { ...measured, attribution, endpoint: rowAsOf(row, { ...measured, results, toMs: window.toMs }) };
}

/** Everything of a device page but its charts, as of the end of the window: `not_found` for an id that this tenant does not have. */
export async function readDevice(deps: EndpointContext, ctx: Ctx, input: DeviceInput): Promise<DeviceView> {
  const { tenant } = ctx.principal;
  const query = { id: input.id, window: readWindow(input, deps.clock.now()) };
  const [judged, { usual, pastOf }] = await Promise.all([readJudged(deps, tenant, query), readSessionPasts(deps, tenant, query)]);
  const { endpoint, attribution, results } = judged;
  const of = (type: string) => results.filter((result) => result.type === type);
  return {
    window: { from: toInstant(query.window.fromMs), to: toInstant(query.window.toMs), is_now: judged.isNow },
    usual,
    endpoint,
    layers: readLayers(attribution),
    layers_at: attribution ? toInstant(attribution.startedAtMs) : null,
    // Who shares it, and so what would help, is known of now alone.
    ...(judged.isNow ? await readAdvice(deps, tenant, endpoint) : { advice: null, suggestion: null }),
    paths: of('endpoint.lastmile').map(readPath),
    sessions: of('endpoint.session').map((session) => readSession(session, pastOf(session.target))),
    not_shown: listNotShown(results),
    cost: readCost(newestOf(results, 'endpoint.agent')),
    verdicts: listVerdicts(judged, query.window),
  };
}

/** The charts of a device page: buckets of at least a second, as many as asked for over a window of at most 13 months. */
export async function readDeviceSeries(deps: EndpointContext, ctx: Ctx, input: SeriesInput): Promise<DeviceSeries> {
  const { tenant } = ctx.principal;
  await refuseUnknownEndpoint(deps, tenant, input.id);
  const now = deps.clock.now();
  const { fromMs, toMs } = readWindow(input, now, MAX_SERIES_MS);
  const stepMs = chooseStep({ fromMs, toMs }, input.points, now);
  const labels = { agent: input.id };
  const series = await deps.series.range(tenant, { metrics: input.metrics, labels, fromMs, toMs, stepMs });
  return {
    step_ms: stepMs,
    series: series.map(({ metric, labels: own, ts, avg, min, max }) => ({ metric, labels: own, ts, avg, min, max })),
  };
}
