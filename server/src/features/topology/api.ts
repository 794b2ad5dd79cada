import { z } from 'zod';
import { permitted, router } from '#api';
import type { Ctx } from '#kernel';

const instant = z.iso.datetime({ offset: true }).max(40);

/** The last 15 minutes where it is left out; whole minutes, at most 7 days. */
export const MapInput = z.object({ from: instant.optional(), to: instant.optional() });
export type MapInput = z.infer<typeof MapInput>;

const measures = {
  calls: z.number(),
  errors: z.number(),
  /** Calls a second. */
  rate: z.number(),
  error_ratio: z.number().nullable(),
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
};

/** What the map cannot see. `count` of `total` are concerned; `names` are of at most 20 services. */
export const Gap = z.object({
  code: z.enum([
    'no_spans',
    'no_flows',
    'behind',
    'unseen_callers',
    'nameless_callees',
    'no_server_spans',
    'sampled',
    'thinned',
    'folded',
    'cut',
  ]),
  count: z.number().nullable(),
  total: z.number().nullable(),
  names: z.array(z.string()),
});
export type Gap = z.infer<typeof Gap>;

export const Topology = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** End of the newest minute that was computed; null when none of the window was. */
  computed_to: z.iso.datetime().nullable(),
  nodes: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** A service sends spans; the others are what services say they call, or ends of flows. */
      kind: z.enum(['service', 'database', 'queue', 'host']),
      ...measures,
      bytes_in: z.number(),
      bytes_out: z.number(),
    }),
  ),
  edges: z.array(
    z.object({
      source: z.string(),
      target: z.string(),
      kind: z.enum(['call', 'message', 'database', 'queue', 'host', 'flow']),
      ...measures,
      bytes: z.number(),
    }),
  ),
  spans: z.number(),
  gaps: z.array(Gap),
});
export type Topology = z.infer<typeof Topology>;

export interface TopologyVerbs {
  map(ctx: Ctx, input: MapInput): Promise<Topology>;
}

/** `topology.map` over tRPC, and `GET /v1/topology`. */
export const createTopologyProcedures = (verbs: TopologyVerbs) =>
  router({
    map: permitted('otlp.read', {
      rest: {
        method: 'GET',
        path: '/topology',
        tags: ['otlp'],
        summary: 'Who calls whom, out of spans and network flows, and what cannot be seen',
        errors: ['validation', 'unavailable'],
      },
    })
      .input(MapInput)
      .output(Topology)
      .query(({ ctx, input }) => verbs.map(ctx, input)),
  });
