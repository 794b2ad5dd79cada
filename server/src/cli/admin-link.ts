import type { TenantId } from '#kernel';
import { type Command, textOption } from './command.ts';
import { readTenant } from './token.ts';

interface Link {
  url: string;
  expiresAt: Date;
}

export interface AdminLinkCommandDeps {
  /** Opens what the identity slice needs, beside a running server or alone, and closes it after `work`. */
  withIdentity: <T>(
    work: (identity: {
      createClaimLink: (tenant: TenantId) => Promise<Link>;
      createPasswordLink: (tenant: TenantId, email: string) => Promise<Link & { tenants: readonly TenantId[] }>;
    }) => Promise<T>,
  ) => Promise<T>;
}

/** `svc admin-link --tenant T [--account E-MAIL]` */
export function createAdminLinkCommand({ withIdentity }: AdminLinkCommandDeps): Command {
  return {
    name: 'admin-link',
    summary: 'Creates a link that makes whoever opens it an administrator.',
    details:
      'It works once, within 24 hours. It sets a new password for an account of this tenant alone; an account of other tenants joins with ' +
      'the password it has. With --account the link gives no role: it sets a new password for that account, in whichever tenants it is, ' +
      'and ends its sessions. The audit trail of every tenant concerned records it.',
    options: {
      tenant: { type: 'string', value: 'ID', required: true, help: 'the tenant to administer, for example default' },
      account: { type: 'string', value: 'E-MAIL', help: 'the account whose password was lost, also one of several tenants' },
    },
    async run(input) {
      const tenant = readTenant(input);
      const account = textOption(input, 'account');
      if (account === undefined) {
        const { url, expiresAt } = await withIdentity((identity) => identity.createClaimLink(tenant));
        input.print(url);
        input.print(`Works once, until ${expiresAt.toISOString()}.`);
        return;
      }
      const { url, expiresAt, tenants } = await withIdentity((identity) => identity.createPasswordLink(tenant, account));
      input.print(url);
      input.print(`Sets a new password for ${account}, once, until ${expiresAt.toISOString()}.`);
      input.print(`The account is a member of: ${tenants.join(', ') || 'no tenant'}.`);
    },
  };
}
