import type { DeviceSeries, DeviceView } from '@svc/contracts/endpoint-view';
import { AppError, type Ctx, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { DeviceInput, SeriesInput } from '../api.ts';
import type { EndpointContext, TimeWindow } from '../context.ts';
import { alignVerdict } from '../domain/align-verdict.ts';
import { chooseStep } from '../domain/choose-step.ts';
import { listNotShown, median, readCost, readLayers, readPath, readSession } from '../domain/device-parts.ts';
import { fillSilences } from '../domain/silences.ts';
import { suggest } from '../domain/suggest.ts';
import { readSilences } from '../state-changes.ts';
import { ROW_COLUMNS, type SummaryRow, toEndpointRow } from './fleet-rows.ts';
import { createSqlParts, verdictSql } from './fleet-sql.ts';
import { readStrips } from './list.ts';
import { readWindow, refuseUnknownEndpoint } from './results-view.ts';

const SESSION_TOTAL = 'svc_endpoint_session_total_ms';
const DAY_MS = 86_400_000;
/** Hourly roll-ups reach this far back; everything else of a device is kept for a month. */
const MAX_SERIES_MS = 396 * DAY_MS;
/** Over more than a day the usual time of a session is the median of this many averages, not of all measurements. */
const USUAL_POINTS = 2000;

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

/** The median total of each session target over the window. */
async function readUsual(
  deps: EndpointContext,
  tenant: TenantId,
  query: TimeWindow & { id: string },
): Promise<Map<string, number | null>> {
  const labels = { agent: query.id };
  const { fromMs, toMs } = query;
  const stepMs = toMs - fromMs <= DAY_MS ? 0 : chooseStep(query, USUAL_POINTS, deps.clock.now());
  const series = await deps.series.range(tenant, { metrics: [SESSION_TOTAL], labels, fromMs, toMs, stepMs });
  return new Map(series.map((one) => [one.labels.target ?? '', median(one.avg)]));
}

/** Everything of a device page but its charts: `not_found` for an id that this tenant does not have. */
export async function readDevice(deps: EndpointContext, ctx: Ctx, input: DeviceInput): Promise<DeviceView> {
  const { tenant } = ctx.principal;
  const { id } = input;
  const window = readWindow(input, deps.clock.now());
  const { row, causeAtMs } = await readEndpoint(deps, tenant, id);
  const [latest, spans, silences, usual] = await Promise.all([
    deps.results.latest(tenant, id),
    deps.results.causeSpans(tenant, { agentId: id, ...window }),
    readSilences(deps.relational, tenant, { agentIds: [id], ...window, toMs: Math.min(window.toMs, deps.clock.now()) }),
    readUsual(deps, tenant, { id, ...window }),
  ]);
  const of = (type: string) => latest.filter((result) => result.type === type);
  const newestOf = (type: string) => of(type).sort((a, b) => b.startedAtMs - a.startedAtMs)[0];
  const { endpoint, attribution } = alignVerdict(row, causeAtMs, newestOf('endpoint.attribution'));
  return {
    endpoint,
    layers: readLayers(attribution),
    layers_at: attribution ? new Date(attribution.startedAtMs).toISOString() : null,
    suggestion: suggest({
      verdict: endpoint.verdict,
      rssiDbm: endpoint.wifi_rssi_dbm.value,
      gatewayAddress: endpoint.gateway_address,
      worstTarget: endpoint.worst_session_target,
    }),
    paths: of('endpoint.lastmile').map(readPath),
    sessions: of('endpoint.session').map((session) => readSession(session, usual.get(session.target) ?? null)),
    not_shown: listNotShown(latest),
    cost: readCost(newestOf('endpoint.agent')),
    verdicts: fillSilences(spans, silences.get(id) ?? []).map(({ fromMs, toMs, verdict }) => ({
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      verdict,
    })),
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
