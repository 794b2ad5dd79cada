import { DeviceSeries, DeviceView, EndpointPage, FleetFilter, FleetSort, FleetSummary } from '@svc/contracts/endpoint/view';
import { CanonicalResult, ENDPOINT_TYPES } from '@svc/contracts/results/canonical-result';
import { z } from 'zod';
import { listLimit, listLimitQuery, permitted, router } from '#api';
import type { Ctx } from '#kernel';

const instant = z.iso.datetime({ offset: true });
/** Query strings give one value as text and several as a list. */
const texts = z.union([z.string().max(253), z.array(z.string().max(253)).max(50)]).optional();

/** One page of the fleet table; several sort columns, the first weighs most. */
export const ListInput = z.object({
  filter: FleetFilter.default({}),
  sort: FleetSort.default([]),
  offset: z.int().min(0).max(100_000).default(0),
  limit: listLimit,
});
export type ListInput = z.infer<typeof ListInput>;

export const SummaryInput = z.object({});

/** The filters of the table as they stand in a URL; a list repeats its key; `sort` is a column, with `-` in front for descending. */
export const CsvInput = z.object({
  search: z.string().max(200).optional(),
  verdict: texts,
  health: texts,
  fault: texts,
  site: texts,
  os: texts,
  agent_version: texts,
  ring: texts,
  connection: texts,
  face: texts,
  missing_permission: texts,
  gateway: z.string().max(64).optional(),
  contact_within_minutes: z.string().max(10).optional(),
  silent_for_minutes: z.string().max(10).optional(),
  wifi_rssi_below: z.string().max(20).optional(),
  gateway_rtt_above: z.string().max(20).optional(),
  isp_rtt_above: z.string().max(20).optional(),
  session_above_ms: z.string().max(20).optional(),
  sort: texts,
});
export type CsvInput = z.infer<typeof CsvInput>;

/** A device's window; the last 24 hours where it is left out, at most 31 days. */
export const DeviceInput = z.object({ id: z.uuid(), from: instant.optional(), to: instant.optional() });
export type DeviceInput = z.infer<typeof DeviceInput>;

/** `points` bounds the buckets a series may have over the window, which may be 396 days long; long ones have steps of whole hours. */
export const SeriesInput = DeviceInput.extend({
  metrics: z
    .array(z.string().regex(/^svc_endpoint_[a-z0-9_]{1,100}$/))
    .min(1)
    .max(24),
  points: z.int().min(10).max(2000).default(300),
});
export type SeriesInput = z.infer<typeof SeriesInput>;

const cursor = z.string().max(512).optional();
export const LatestInput = z.object({ limit: listLimit, cursor });
export type LatestInput = z.infer<typeof LatestInput>;
const LatestQuery = z.object({ limit: listLimitQuery, cursor });

/** Newest result of each signal type; `endpoint.session` and `endpoint.lastmile` have one for each target. */
export const LatestPage = z.object({
  items: z.array(
    z.object({
      endpoint_id: z.uuid(),
      name: z.string().nullable(),
      site: z.string().nullable(),
      state: z.string(),
      simulated: z.boolean(),
      last_contact_at: z.iso.datetime().nullable(),
      signals: z.array(CanonicalResult),
    }),
  ),
  next_cursor: z.string().nullable(),
  /** False: the consumer is not wired, which is not the same as an empty fleet. */
  collector_running: z.boolean(),
});
export type LatestPage = z.infer<typeof LatestPage>;

export const HistoryInput = DeviceInput.extend({
  type: z.enum(ENDPOINT_TYPES).optional(),
  limit: listLimit,
  cursor,
});
export type HistoryInput = z.infer<typeof HistoryInput>;
const HistoryQuery = HistoryInput.omit({ id: true }).extend({ limit: listLimitQuery });

export const HistoryPage = z.object({ items: z.array(CanonicalResult), next_cursor: z.string().nullable() });
export type HistoryPage = z.infer<typeof HistoryPage>;

export const CodeMatches = z.object({
  /** The minute that the code names. */
  at: z.iso.datetime(),
  items: z.array(z.object({ id: z.uuid(), name: z.string().nullable(), site: z.string().nullable() })),
});
export type CodeMatches = z.infer<typeof CodeMatches>;

/** What the slice does, verb by verb; the procedures below only parse, check and call. */
export interface EndpointVerbs {
  list(ctx: Ctx, input: ListInput): Promise<EndpointPage>;
  summary(ctx: Ctx): Promise<FleetSummary>;
  csv(ctx: Ctx, input: CsvInput): Promise<string>;
  latest(ctx: Ctx, input: LatestInput): Promise<LatestPage>;
  device(ctx: Ctx, input: DeviceInput): Promise<DeviceView>;
  series(ctx: Ctx, input: SeriesInput): Promise<DeviceSeries>;
  history(ctx: Ctx, input: HistoryInput): Promise<HistoryPage>;
  findByCode(ctx: Ctx, input: { code: string }): Promise<CodeMatches>;
}

const tags = ['endpoints'];

/** Of one device, and the way to it. */
const deviceProcedures = (verbs: EndpointVerbs) => ({
  device: permitted('agent.read', {
    rest: { method: 'GET', path: '/endpoints/:id', tags, summary: 'One endpoint with its verdict', errors: ['not_found'] },
  })
    .input(DeviceInput)
    .output(DeviceView)
    .query(({ ctx, input }) => verbs.device(ctx, input)),
  series: permitted('agent.read')
    .input(SeriesInput)
    .output(DeviceSeries)
    .query(({ ctx, input }) => verbs.series(ctx, input)),
  history: permitted('agent.read', {
    rest: {
      method: 'GET',
      path: '/endpoints/:id/results',
      tags,
      summary: 'Results of one endpoint, newest first',
      errors: ['not_found'],
      query: HistoryQuery,
    },
  })
    .input(HistoryInput)
    .output(HistoryPage)
    .query(({ ctx, input }) => verbs.history(ctx, input)),
  findByCode: permitted('agent.read', {
    rest: {
      method: 'GET',
      path: '/helpdesk-codes/:code',
      tags,
      summary: 'The device and the minute that a code read to the helpdesk names',
      errors: ['validation'],
    },
  })
    .input(z.object({ code: z.string().max(64) }))
    .output(CodeMatches)
    .query(({ ctx, input }) => verbs.findByCode(ctx, input)),
});

/** `endpoint.*` over tRPC, and below /v1 over REST where a path is given. */
export const createEndpointProcedures = (verbs: EndpointVerbs) =>
  router({
    list: permitted('agent.read')
      .input(ListInput)
      .output(EndpointPage)
      .query(({ ctx, input }) => verbs.list(ctx, input)),
    summary: permitted('agent.read')
      .input(SummaryInput)
      .output(FleetSummary)
      .query(({ ctx }) => verbs.summary(ctx)),
    csv: permitted('agent.read', {
      rest: {
        method: 'GET',
        path: '/endpoints.csv',
        contentType: 'text/csv; charset=utf-8',
        tags,
        summary: 'All rows that match the filters, as CSV',
        errors: ['validation'],
        query: CsvInput,
      },
    })
      .input(CsvInput)
      .output(z.string())
      .query(({ ctx, input }) => verbs.csv(ctx, input)),
    latest: permitted('agent.read', {
      rest: {
        method: 'GET',
        path: '/endpoints',
        tags,
        summary: 'Latest result per signal type per endpoint',
        errors: ['validation'],
        query: LatestQuery,
      },
    })
      .input(LatestInput)
      .output(LatestPage)
      .query(({ ctx, input }) => verbs.latest(ctx, input)),
    ...deviceProcedures(verbs),
  });
