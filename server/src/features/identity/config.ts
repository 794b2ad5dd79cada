import type { Role } from '@svc/contracts/permissions';
import type { TenantId } from '#kernel';

export interface IdentityConfig {
  authMode: 'session' | 'dev';
  /** Where the console lives, without a slash at its end. */
  publicUrl: string;
  /** False while the address is only the default one: then nothing redirects to it. */
  publicUrlIsSet: boolean;
  /** The identity provider outside; undefined means the built-in one. */
  external: { issuer: string; clientId: string; clientSecret: string | undefined } | undefined;
  /** The tenant that new people from outside join, without roles. */
  signInTenant: TenantId;
  groupRoles: ReadonlyMap<string, readonly Role[]>;
  bootstrapAdmin: string | undefined;
}

/** Path of the built-in identity provider; its issuer is this below the public URL. */
export const ISSUER_PATH = '/auth/oidc';

export const issuerOf = ({ publicUrl }: Pick<IdentityConfig, 'publicUrl'>): string => `${publicUrl}${ISSUER_PATH}`;

export const callbackOf = ({ publicUrl }: Pick<IdentityConfig, 'publicUrl'>): string => `${publicUrl}/auth/callback`;
