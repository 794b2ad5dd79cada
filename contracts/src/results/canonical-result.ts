import { z } from 'zod';

/** Kinds of result that one agent on a person's machine makes. */
export const ENDPOINT_TYPES = [
  'endpoint.wifi',
  'endpoint.gateway',
  'endpoint.lastmile',
  'endpoint.session',
  'endpoint.attribution',
  'endpoint.resolver',
  'endpoint.agent',
] as const;
export type EndpointType = (typeof ENDPOINT_TYPES)[number];

export const CANARY_TYPES = ['http', 'https', 'dns', 'icmp', 'tcp', 'udp', 'browser', 'rum', ...ENDPOINT_TYPES] as const;
export type CanaryType = (typeof CANARY_TYPES)[number];

/** Bounds of one result; a larger one is refused, never cut. */
export const RESULT_BOUNDS = { metrics: 512, attributes: 512, keyLength: 128, valueLength: 1024, errorLength: 512 } as const;

const key = z.string().min(1).max(RESULT_BOUNDS.keyLength);
const bounded = (max: number) => (map: object) => Object.keys(map).length <= max;

/**
 * The canonical result envelope (docs/contract/results.md): one measurement, made anywhere, as it travels on the bus in JSON.
 * `tenant_id` comes from the verified credential, never from the payload; `result_id` is made where the measurement is made
 * and constant over retries, and storage is idempotent on it. A value that was not measured has no key in `metrics`.
 */
export const CanonicalResult = z.strictObject({
  result_id: z.uuid(),
  tenant_id: z.string(),
  agent_id: z.string(),
  canary_type: z.enum(CANARY_TYPES),
  test_id: z.string().max(128).optional(),
  server_address: z.string().max(256).optional(),
  server_port: z.int().min(0).max(65_535).optional(),
  success: z.boolean().optional(),
  error: z.string().max(RESULT_BOUNDS.errorLength).optional(),
  started_at: z.iso.datetime({ offset: true }),
  duration_ms: z.number().nonnegative().optional(),
  present: z.boolean(),
  metrics: z.record(key, z.number()).refine(bounded(RESULT_BOUNDS.metrics), `at most ${RESULT_BOUNDS.metrics} metrics`),
  attributes: z
    .record(key, z.string().max(RESULT_BOUNDS.valueLength))
    .refine(bounded(RESULT_BOUNDS.attributes), `at most ${RESULT_BOUNDS.attributes} attributes`),
});
export type CanonicalResult = z.infer<typeof CanonicalResult>;
