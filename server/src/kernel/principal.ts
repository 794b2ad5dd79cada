import type { Permission } from '@svc/contracts/permissions';
import type { TenantId } from './tenant.ts';

/** Who acts, in exactly one tenant, as the verified credential says. Ids are opaque: no name and no address. */
export interface Principal {
  kind: 'account' | 'api_token' | 'system';
  id: string;
  tenant: TenantId;
  permissions: ReadonlySet<Permission>;
}

/** What every verb gets first: `(ctx, input)`. */
export interface Ctx {
  principal: Principal;
  /** Id of the request for logs and problem documents. */
  requestId: string;
  /** Aborted, with an AppError, when session, token, membership or the client's connection end before the answer; absent where nothing follows that. */
  ended?: AbortSignal;
}

/** An agent as its client certificate says. */
export interface AgentIdentity {
  tenant: TenantId;
  agentId: string;
  /** SHA-256 of the certificate, lower-case hex. */
  fingerprint: string;
}
