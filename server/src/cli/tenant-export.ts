import { resolve } from 'node:path';
import { AppError, isTenantId, type TenantId } from '#kernel';
import { type Command, textOption } from './command.ts';

/** What an export holds; see docs/operate.md. */
export interface ExportReport {
  manifest: { files: readonly { table: string; rows: number }[] };
  sha256: string;
}

export interface ExportCommandDeps {
  /** Writes the tenant's data to a new folder, beside a running server or alone. */
  exportTenant: (tenant: TenantId, out: string) => Promise<ExportReport>;
}

/** `svc tenant export ID --out DIR` */
export function createTenantExportCommand({ exportTenant }: ExportCommandDeps): Command {
  return {
    name: 'tenant export',
    summary: 'Writes all data of a tenant to a folder.',
    details:
      'One file of JSON lines for each table, and manifest.json with their rows and SHA-256. Passwords, keys and hashes of tokens are left out.\nThe folder is made when the export is complete; the audit trail of the tenant has an entry for it.',
    positionals: [{ name: 'ID', help: 'the tenant' }],
    options: {
      out: { type: 'string', value: 'DIR', required: true, help: 'a folder that does not exist yet' },
      json: { type: 'boolean', help: 'print the manifest' },
    },
    async run(input) {
      const [id = ''] = input.positionals;
      if (!isTenantId(id)) throw new AppError('bad_request', 'A tenant ID is 1 to 63 characters of a-z, 0-9 and "-".');
      const out = textOption(input, 'out')?.trim();
      if (!out) throw new AppError('bad_request', '--out must name a folder.');
      const { manifest, sha256 } = await exportTenant(id, resolve(out));
      if (input.options.json) return input.print(JSON.stringify(manifest, null, 2));
      for (const { table, rows } of manifest.files) input.print(`${String(rows).padStart(12)}  ${table}`);
      input.print(`Tenant ${id} was exported to ${resolve(out)}.`);
      input.print(`SHA-256 of manifest.json: ${sha256}`);
    },
  };
}
