import { z } from 'zod';

/**
 * Version of the agent protocol. Server and agent work together while |agent - server| <= 1; anything further apart is answered
 * with `upgrade_required` (decisions.md, "Version window"). Injected where it is used, so that tests can be two apart.
 */
export const AGENT_PROTOCOL = 1;

/** gRPC metadata: the agent's protocol version on every call; the error's machine word on a refused one. */
export const PROTOCOL_METADATA = 'svc-agent-protocol';
export const ERROR_CODE_METADATA = 'svc-error-code';

/** The printed enrol token: `svc_enr_<secret>.<pin>`; the pin is the base64url SHA-256 of the local CA's SubjectPublicKeyInfo. */
export const ENROL_TOKEN = /^svc_enr_([A-Za-z0-9_-]{32,64})(?:\.([A-Za-z0-9_-]{43}))?$/;

/** `POST /agent/v1/enroll`. The CSR is PEM with a P-256 key; names in it are ignored, the server sets the identity. */
export const EnrollRequest = z.strictObject({
  token: z.string().max(256),
  csr: z.string().max(4096),
  protocol: z.int(),
  agent_version: z.string().max(64),
  /** Absent where SVC_ENDPOINT_COLLECT_DEVICE_NAME is off. */
  device_name: z.string().min(1).max(255).optional(),
  owner_email: z.email().max(320).optional(),
  site: z.string().max(128).optional(),
  os: z.string().max(64).optional(),
  os_version: z.string().max(128).optional(),
  arch: z.string().max(32).optional(),
  model: z.string().max(128).optional(),
});
export type EnrollRequest = z.infer<typeof EnrollRequest>;

/** `POST /agent/v1/renew`: a new leaf for the enrolled key, also long after the old one expired. */
export const RenewRequest = z.strictObject({
  agent_id: z.uuid(),
  tenant_id: z.string().max(63),
  protocol: z.int(),
  /** RFC 3339; refused when more than five minutes from the server's clock: the answer's `Date` header tells the agent its skew. */
  issued_at: z.iso.datetime(),
  nonce: z.string().min(16).max(64),
  /** Base64 ECDSA P-256 / SHA-256 signature (IEEE P1363) over `renewPayload(...)` by the enrolled key. */
  signature: z.string().max(128),
});
export type RenewRequest = z.infer<typeof RenewRequest>;

export const renewPayload = (r: Pick<RenewRequest, 'agent_id' | 'tenant_id' | 'issued_at' | 'nonce'>): string =>
  `svc-renew-v1\n${r.tenant_id}\n${r.agent_id}\n${r.issued_at}\n${r.nonce}`;

/** Answer of both. Certificates are PEM; `chain` is leaf then the tenant's intermediate; `grpc_ca` signs port 8444's certificate. */
export const IdentityAnswer = z.object({
  agent_id: z.uuid(),
  tenant_id: z.string(),
  chain: z.string(),
  grpc_ca: z.string(),
  /** host:port of the agents' gRPC listener. */
  grpc_addr: z.string(),
  not_after: z.iso.datetime(),
  ring: z.enum(['canary', 'early', 'main']),
});
export type IdentityAnswer = z.infer<typeof IdentityAnswer>;
