import { z } from 'zod';
import { TEST_TYPES } from './test-types.ts';

/**
 * What one run of a test brought: made by `probes/`, completed by the runner, carried in the canonical envelope (`toCanonicalResult`) and,
 * what is too large for it, as evidence beside it.
 */

/** In the order in which they happen. A browser's `transfer` lasts until the page is loaded. */
export const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'] as const;
export type Phase = (typeof PHASES)[number];

/** Why a run failed, coarse enough to say who can act; the message says the rest. */
export const RUN_FAULTS = [
  'assertion',
  'timeout',
  'name_not_found',
  'name_unresolved',
  'refused',
  'unroutable',
  'no_answer',
  'reset',
  'closed',
  'certificate',
  'tls',
  'protocol',
  'redirect',
  'too_large',
  'port_unreachable',
  'step',
  'crashed',
  /** The machine that runs it may not reach this target. */
  'target_refused',
  /** The runner lacks what the test takes; nothing was measured. */
  'not_capable',
  /** A secret is missing, or may not be sent to this host. */
  'secret',
  'internal',
] as const;
export type RunFault = (typeof RUN_FAULTS)[number];

/** With these nothing was measured: told as not run, never as failed. */
export const NOT_RUN_FAULTS: readonly RunFault[] = ['target_refused', 'not_capable', 'secret', 'internal'];

export const Assertion = z.object({
  /** What it is about: `status`, `body_contains`, `json`, `total_ms`, `step`. */
  rule: z.string().max(64),
  /** In words, such as `total under 2,000 ms`, never with a secret. */
  wanted: z.string().max(512),
  got: z.string().max(512),
  passed: z.boolean(),
});
export type Assertion = z.infer<typeof Assertion>;

export const CertificateFacts = z.object({
  subject: z.string().max(512),
  issuer: z.string().max(512),
  names: z.array(z.string().max(253)).max(50),
  not_before: z.iso.datetime(),
  not_after: z.iso.datetime(),
  /** SHA-256 of the leaf, lower-case hex. */
  fingerprint: z.string().max(64),
  key: z.string().max(64),
  protocol: z.string().max(16),
  chain_length: z.int(),
  chain_bytes: z.int(),
  trusted: z.boolean(),
  name_matches: z.boolean(),
  fault: z.string().max(256).optional(),
});
export type CertificateFacts = z.infer<typeof CertificateFacts>;

const Vitals = z.object({
  ttfb_ms: z.number().optional(),
  fcp_ms: z.number().optional(),
  lcp_ms: z.number().optional(),
  cls: z.number().optional(),
  load_ms: z.number().optional(),
});

/** Kept beside the result for 30 days; bounded and redacted where it is made. */
export const Evidence = z.object({
  /** Status line and headers; cookies, authorisation and secrets are cut out. */
  response_head: z.string().max(8192).optional(),
  /** At most 4 KiB, as text. */
  body_excerpt: z.string().max(4096).optional(),
  /** The resolver's answer in presentation form. */
  dns_answer: z.string().max(4096).optional(),
  redirects: z.array(z.string().max(2048)).max(20).optional(),
  path: z
    .array(z.object({ hop: z.int(), address: z.string().max(64).optional(), rtt_ms: z.number().optional() }))
    .max(64)
    .optional(),
  steps: z
    .array(
      z.object({
        step: z.int(),
        label: z.string().max(256),
        ms: z.number(),
        passed: z.boolean(),
        error: z.string().max(512).optional(),
      }),
    )
    .max(40)
    .optional(),
  failed_requests: z
    .array(z.object({ url: z.string().max(512), error: z.string().max(256) }))
    .max(50)
    .optional(),
  console_errors: z.array(z.string().max(512)).max(20).optional(),
  /** WebP or PNG, base64, at most 512 KiB decoded. */
  screenshot: z.string().max(700_000).optional(),
});
export type Evidence = z.infer<typeof Evidence>;

/** What `probes/` measures; times in milliseconds, absent where a phase was not reached or is not part of the type. */
export const Measured = z.object({
  success: z.boolean(),
  fault: z.enum(RUN_FAULTS).optional(),
  /** Short, for a person, without secrets; absent where nothing failed. */
  error: z.string().max(512).optional(),
  phases: z.partialRecord(z.enum(PHASES), z.number().nonnegative()),
  total_ms: z.number().nonnegative(),
  /** Further figures: `status`, `bytes`, `rtt.avg.ms`, `rtt.min.ms`, `rtt.max.ms`, `jitter.ms`, `packet.loss.ratio`, `certificate.days`, `ttl.seconds`, `redirects`, `requests`, `requests.failed`, `lcp.ms`, `cls`... */
  figures: z.record(z.string(), z.number()),
  /** The address that was dialled. */
  address: z.string().max(64).optional(),
  port: z.int().optional(),
  certificate: CertificateFacts.optional(),
  vitals: Vitals.optional(),
  assertions: z.array(Assertion).max(60),
  evidence: Evidence.optional(),
});
export type Measured = z.infer<typeof Measured>;

export const RunReport = Measured.extend({
  result_id: z.uuid(),
  test_id: z.uuid(),
  test_version: z.int(),
  runner_id: z.string().max(64),
  type: z.enum(TEST_TYPES),
  target: z.string().max(2048),
  /** When the plan had it, and when it began; the runner's clock. */
  planned_at: z.iso.datetime(),
  started_at: z.iso.datetime(),
  /** It was asked for by a person or a program, not by the schedule; it counts for nothing but itself. */
  on_demand: z.boolean(),
});
export type RunReport = z.infer<typeof RunReport>;
