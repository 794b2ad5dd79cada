import { z } from 'zod';

/** Enrolment and renewal of runners over HTTPS, as agents' but of a kind of their own; the version window is AGENT_PROTOCOL's. */

/** `svc_run_<secret>.<pin>`: a token of a device enrols no runner, and a runner's no device. */
export const RUNNER_TOKEN_TEXT = /^svc_run_([A-Za-z0-9_-]{32,64})(?:\.([A-Za-z0-9_-]{43}))?$/;

/** `POST /runner/v1/enroll`. The CSR is PEM with a P-256 key; names in it are ignored, the server sets the identity. */
export const EnrollRunner = z.strictObject({
  token: z.string().max(256),
  csr: z.string().max(4096),
  protocol: z.int(),
  version: z.string().max(64),
  name: z.string().trim().min(1).max(128).optional(),
  labels: z.record(z.string().max(63), z.string().max(128)).optional(),
});
export type EnrollRunner = z.infer<typeof EnrollRunner>;

/** `POST /runner/v1/renew`: a new leaf for the enrolled key, also long after the old one expired. */
export const RenewRunner = z.strictObject({
  runner_id: z.uuid(),
  tenant_id: z.string().max(63),
  protocol: z.int(),
  /** Refused when more than five minutes from the server's clock; the answer's `Date` header tells the skew. */
  issued_at: z.iso.datetime(),
  nonce: z.string().min(16).max(64),
  /** Base64 ECDSA P-256 / SHA-256 signature (IEEE P1363) over `renewRunnerPayload(...)` by the enrolled key. */
  signature: z.string().max(128),
});
export type RenewRunner = z.infer<typeof RenewRunner>;

export const renewRunnerPayload = (r: Pick<RenewRunner, 'runner_id' | 'tenant_id' | 'issued_at' | 'nonce'>): string =>
  `svc-runner-renew-v1\n${r.tenant_id}\n${r.runner_id}\n${r.issued_at}\n${r.nonce}`;

/** Answer of both; certificates are PEM, `grpc_ca` is empty where the system's roots prove the listener. */
export const RunnerIdentityAnswer = z.object({
  runner_id: z.uuid(),
  tenant_id: z.string(),
  chain: z.string(),
  grpc_ca: z.string(),
  /** host:port */
  grpc_addr: z.string(),
  not_after: z.iso.datetime(),
});
export type RunnerIdentityAnswer = z.infer<typeof RunnerIdentityAnswer>;
