import { AppError, type TenantId } from '#kernel';
import type { Command } from './command.ts';
import { readTenant } from './token.ts';

interface Verified {
  ok: boolean;
  checked: number;
  /** Stands for entries removed when their retention was over. */
  checkpoint: { seq: bigint; atMs: number } | undefined;
  broken: { reason: string } | undefined;
  /** What this server remembers of the chain's end. */
  remembered: { seq: bigint; atMs: number } | undefined;
}

const NOTHING_REMEMBERED = 'no end is remembered here, so a cut one would not be noticed';

const describeRemembered = ({ remembered }: Verified): string =>
  remembered
    ? `matches entry ${remembered.seq}, which this server remembers of ${new Date(remembered.atMs).toISOString()}`
    : NOTHING_REMEMBERED;

function describe(verified: Verified): string {
  const { ok, checked, checkpoint, broken } = verified;
  if (!ok) return `BROKEN. ${broken?.reason}`;
  if (!checkpoint) return `whole, ${checked} entries; ${describeRemembered(verified)}`;
  const signedAt = new Date(checkpoint.atMs).toISOString();
  return `whole, ${checked} entries from ${checkpoint.seq + 1n}, checkpoint signed at ${signedAt}; ${describeRemembered(verified)}`;
}

export interface VerifyAuditCommandDeps {
  /** Opens what the audit slice needs, beside a running server or alone, and closes it after `work`. */
  withAudit: <T>(
    work: (audit: {
      verify: (tenant: TenantId, options: { maxEntries: number }) => Promise<Verified>;
      acceptHead: (tenant: TenantId) => Promise<{ remembered: bigint; accepted: bigint } | undefined>;
      listTenants: () => Promise<readonly TenantId[]>;
    }) => Promise<T>,
  ) => Promise<T>;
}

/** `svc verify-audit [--tenant T] [--accept-head]` */
export function createVerifyAuditCommand({ withAudit }: VerifyAuditCommandDeps): Command {
  return {
    name: 'verify-audit',
    summary:
      'Walks the audit trail and names the first entry that was changed, removed or moved, a checkpoint that is not ours, or an end that was cut off.',
    details: 'Exits with 0 when every chain is whole, with 1 when one is broken.',
    options: {
      tenant: { type: 'string', value: 'ID', help: 'only this one; default all tenants' },
      'accept-head': {
        type: 'boolean',
        help: 'after a restore from a backup: accept the present end of the trail on the server of this data directory; audited',
      },
    },
    async run(input) {
      const broken = await withAudit(async (audit) => {
        const tenants = input.options.tenant === undefined ? await audit.listTenants() : [readTenant(input)];
        const found: string[] = [];
        for (const tenant of tenants) {
          const accepted = input.options['accept-head'] === true ? await audit.acceptHead(tenant) : undefined;
          if (accepted)
            input.print(
              `${tenant}: entry ${accepted.accepted} is accepted as the end; this server remembered entry ${accepted.remembered}`,
            );
          const verified = await audit.verify(tenant, { maxEntries: Number.MAX_SAFE_INTEGER });
          input.print(`${tenant}: ${describe(verified)}`);
          if (!verified.ok) found.push(tenant);
        }
        return found;
      });
      if (broken.length > 0) throw new AppError('conflict', `The audit trail of ${broken.join(', ')} was tampered with.`);
    },
  };
}
