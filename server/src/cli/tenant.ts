import type { AuditEntry } from '#kernel';
import { AppError, isTenantId, type TenantId } from '#kernel';
import { createTenant, listTenants, type Relational, type TenantSql } from '#relational';
import { type Command, textOption } from './command.ts';

export interface TenantCommandDeps {
  /** Opens the database beside a running server or alone, and closes it after `work`. */
  withRelational: <T>(work: (relational: Relational) => Promise<T>) => Promise<T>;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
}

/** `svc tenant create ID`: the tenant's audit trail begins with its creation. */
export function createTenantCreateCommand({ withRelational, appendAudit }: TenantCommandDeps): Command {
  return {
    name: 'tenant create',
    summary: 'Creates a tenant.',
    positionals: [{ name: 'ID', help: '1 to 63 characters of a-z, 0-9 and "-"; never changes' }],
    options: {
      name: { type: 'string', value: 'NAME', help: 'name shown to people; default is the ID' },
      simulated: { type: 'boolean', help: 'mark its devices as simulated on every page' },
    },
    async run(input) {
      const [id = ''] = input.positionals;
      if (!isTenantId(id)) throw new AppError('bad_request', 'A tenant ID is 1 to 63 characters of a-z, 0-9 and "-".');
      const name = textOption(input, 'name')?.trim() || id;
      if (name.length > 200) throw new AppError('bad_request', 'A tenant name has at most 200 characters.');
      await withRelational(async (relational) => {
        const isDemo = input.options.simulated === true;
        if (!(await createTenant(relational, { id, name, isDemo })))
          throw new AppError('conflict', `Tenant ${id} already exists.`);
        await relational.withTenantSql(id, async (sql) => {
          await appendAudit(sql, {
            actor: { kind: 'system', id: 'svc' },
            action: 'tenant.create',
            object: { type: 'tenant', id },
          });
        });
      });
      input.print(`Tenant ${id} created.`);
    },
  };
}

/** What became of an erasure; see docs/stores/erasure.md. */
export interface ErasureReport {
  tenant: string;
  requested_at: string;
  finished_at: string | null;
  erased: readonly { table: string; rows: number }[];
  sha256: string;
}

export interface EraseCommandDeps {
  /** Ends all access to a tenant, asks the servers to erase it and waits a little for them; again it only tells. */
  eraseTenant: (tenant: TenantId) => Promise<ErasureReport>;
}

/** `svc tenant erase ID --confirm ID` */
export function createTenantEraseCommand({ eraseTenant }: EraseCommandDeps): Command {
  return {
    name: 'tenant erase',
    summary: 'Erases a tenant with everything that it has, for good.',
    details:
      'Access to it ends at once. A running server removes the rows, or the next one that starts; the command waits for it up to a minute and\nprints what went. Given again it prints the same report. The audit trail stays, and the ID is never used again.',
    positionals: [{ name: 'ID', help: 'the tenant' }],
    options: {
      confirm: { type: 'string', value: 'ID', required: true, help: 'the ID once more' },
      json: { type: 'boolean', help: 'print JSON' },
    },
    async run(input) {
      const [id = ''] = input.positionals;
      if (!isTenantId(id)) throw new AppError('bad_request', 'A tenant ID is 1 to 63 characters of a-z, 0-9 and "-".');
      if (textOption(input, 'confirm') !== id) throw new AppError('bad_request', '--confirm must repeat the ID of the tenant.');
      const report = await eraseTenant(id);
      if (input.options.json) return input.print(JSON.stringify(report, null, 2));
      for (const { table, rows } of report.erased) input.print(`${String(rows).padStart(12)}  ${table}`);
      if (report.finished_at === null) return input.print(`Tenant ${id} is closed. A running server erases the rest.`);
      input.print(`Tenant ${id} was erased on ${report.finished_at}; every table was then empty of it.`);
      input.print(`SHA-256 of this report: ${report.sha256}`);
    },
  };
}

/** `svc tenant list [--json]` */
export function createTenantListCommand({ withRelational }: Pick<TenantCommandDeps, 'withRelational'>): Command {
  return {
    name: 'tenant list',
    summary: 'Lists the tenants.',
    options: { json: { type: 'boolean', help: 'print a JSON array' } },
    async run({ options, print }) {
      const rows = await withRelational(listTenants);
      const tenants = rows.map((row) => ({
        id: row.id,
        name: row.name,
        simulated: row.is_demo,
        created_at: row.created_at.toISOString(),
      }));
      if (options.json) return print(JSON.stringify(tenants, null, 2));
      const width = Math.max(2, ...tenants.map(({ id }) => id.length));
      for (const { id, name, simulated, created_at } of tenants) {
        print(`${id.padEnd(width)}  ${created_at}  ${name}${simulated ? ' (simulated)' : ''}`);
      }
    },
  };
}

export interface TenantSetDeps {
  /** Gives or withdraws consent; false where it was so already. */
  setConsent: (tenant: TenantId, allowed: boolean) => Promise<boolean>;
}

/** `svc tenant set ID --ai-remote-egress on|off` */
export function createTenantSetCommand({ setConsent }: TenantSetDeps): Command {
  return {
    name: 'tenant set',
    summary: "Sets what holds for a tenant's data.",
    positionals: [{ name: 'ID', help: 'the tenant' }],
    options: {
      'ai-remote-egress': {
        ...{ type: 'string', value: 'on|off', required: true },
        help: 'whether summaries of its telemetry may be sent to a model that runs elsewhere; off is the default',
      },
    },
    async run(input) {
      const [id = ''] = input.positionals;
      if (!isTenantId(id)) throw new AppError('bad_request', 'A tenant ID is 1 to 63 characters of a-z, 0-9 and "-".');
      const word = textOption(input, 'ai-remote-egress');
      if (word !== 'on' && word !== 'off') throw new AppError('bad_request', '--ai-remote-egress is on or off.');
      const changed = await setConsent(id, word === 'on');
      const what = word === 'on' ? 'consents to' : 'does not consent to';
      input.print(`Tenant ${id} ${what} sending telemetry to a model that runs elsewhere${changed ? '' : ', as before'}.`);
    },
  };
}
