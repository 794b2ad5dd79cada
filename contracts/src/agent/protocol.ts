import { z } from 'zod';

export { AGENT_PROTOCOL, ENROL_TOKEN, ERROR_CODE_METADATA, PROTOCOL_METADATA } from './version.ts';

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

/** Answer of both. Certificates are PEM; `chain` is leaf then the tenant's intermediate; `grpc_ca` signs port 8444's certificate, and is empty where the server has one of its own (SVC_TLS_CERT_FILE): the device's roots prove it then. */
export const IdentityAnswer = z.object({
  agent_id: z.uuid(),
  tenant_id: z.string(),
  chain: z.string(),
  grpc_ca: z.string(),
  /** host:port of the agents' gRPC listener. */
  grpc_addr: z.string(),
  not_after: z.iso.datetime(),
  ring: z.enum(['canary', 'early', 'main']),
  /** For the request, by the key that issued the certificate: base64, over `messageReceiptText`. Absent where none can be signed. */
  receipt: z.string().max(128).optional(),
  received_at_ms: z.int().nonnegative().optional(),
});
export type IdentityAnswer = z.infer<typeof IdentityAnswer>;
