import type { Role } from '@svc/contracts/permissions';
import type { TenantId } from '#kernel';

export interface IdentityConfig {
  authMode: 'session' | 'dev';
  /** Where the console lives, without a slash at its end. */
  publicUrl: string;
  /** The identity provider outside; undefined means the built-in one. */
  external: { issuer: string; clientId: string; clientSecret: string | undefined } | undefined;
  /** The tenant that new people from outside join, without roles. */
  signInTenant: TenantId;
  groupRoles: ReadonlyMap<string, readonly Role[]>;
  bootstrapAdmin: string | undefined;
}
