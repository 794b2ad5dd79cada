import { AppError, type TenantId } from '#kernel';
import type { Command } from './command.ts';
import { readTenant } from './token.ts';

interface Verified {
  ok: boolean;
  checked: number;
  /** Stands for entries removed when their retention was over. */
  checkpoint: { seq: bigint; atMs: number } | undefined;
  broken: { reason: string } | undefined;
}

function describe({ ok, checked, checkpoint, broken }: Verified): string {
  if (!ok) return `BROKEN. ${broken?.reason}`;
  if (!checkpoint) return `whole, ${checked} entries`;
  const signedAt = new Date(checkpoint.atMs).toISOString();
  return `whole, ${checked} entries from ${checkpoint.seq + 1n}, checkpoint signed at ${signedAt}`;
}

export interface VerifyAuditCommandDeps {
  /** Opens what the audit slice needs, beside a running server or alone, and closes it after `work`. */
  withAudit: <T>(
    work: (audit: {
      verify: (tenant: TenantId, options: { maxEntries: number }) => Promise<Verified>;
      listTenants: () => Promise<readonly TenantId[]>;
    }) => Promise<T>,
  ) => Promise<T>;
}

/** `svc verify-audit [--tenant T]` */
export function createVerifyAuditCommand({ withAudit }: VerifyAuditCommandDeps): Command {
  return {
    name: 'verify-audit',
    summary:
      'Walks the audit trail and names the first entry that was changed, removed or moved, or a checkpoint that is not ours.',
    details: 'Ends with 0 when every chain is whole, with 1 when one is broken.',
    options: { tenant: { type: 'string', value: 'ID', help: 'only this one; default all tenants' } },
    async run(input) {
      const broken = await withAudit(async (audit) => {
        const tenants = input.options.tenant === undefined ? await audit.listTenants() : [readTenant(input)];
        const found: string[] = [];
        for (const tenant of tenants) {
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
