/** Constants of the agent protocol in a file without zod: the resident agent loads these and no schema (memory). */

/**
 * Version of the agent protocol. Server and agent work together while |agent - server| <= 1; anything further apart is answered
 * with `upgrade_required` (docs/contract/tenants-and-agents.md). Injected where it is used, so that tests can be two apart.
 */
export const AGENT_PROTOCOL = 1;

/** gRPC metadata: the agent's protocol version on every call; the error's machine word on a refused one. */
export const PROTOCOL_METADATA = 'svc-agent-protocol';
export const ERROR_CODE_METADATA = 'svc-error-code';
/** On Connect: this agent keeps receipts of its statuses. Who does not ask gets none: they would only be bytes. */
export const RECEIPTS_METADATA = 'svc-agent-receipts';

/** The printed enrol token: `svc_enr_<secret>.<pin>`; the pin is the base64url SHA-256 of the local CA's SubjectPublicKeyInfo. */
export const ENROL_TOKEN = /^svc_enr_([A-Za-z0-9_-]{32,64})(?:\.([A-Za-z0-9_-]{43}))?$/;
