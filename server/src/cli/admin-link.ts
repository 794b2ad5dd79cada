import type { TenantId } from '#kernel';
import type { Command } from './command.ts';
import { readTenant } from './token.ts';

export interface AdminLinkCommandDeps {
  /** Opens what the identity slice needs, beside a running server or alone, and closes it after `work`. */
  withIdentity: <T>(
    work: (identity: { createClaimLink: (tenant: TenantId) => Promise<{ url: string; expiresAt: Date }> }) => Promise<T>,
  ) => Promise<T>;
}

/** `svc admin-link --tenant T` */
export function createAdminLinkCommand({ withIdentity }: AdminLinkCommandDeps): Command {
  return {
    name: 'admin-link',
    summary: 'Makes a link that makes whoever opens it an administrator.',
    details: 'It works once, within 24 hours; also for an administrator who lost the password. The audit trail tells of it.',
    options: { tenant: { type: 'string', value: 'ID', required: true, help: 'the tenant to administer, for example default' } },
    async run(input) {
      const tenant = readTenant(input);
      const { url, expiresAt } = await withIdentity((identity) => identity.createClaimLink(tenant));
      input.print(url);
      input.print(`Works once, until ${expiresAt.toISOString()}.`);
    },
  };
}
