import type { Command } from './command.ts';

export interface MigrateCommandDeps {
  /** Applies what is missing in every store; gives the names by store. */
  migrateStores: () => Promise<readonly { store: string; applied: readonly string[] }[]>;
}

/** `svc migrate` */
export function createMigrateCommand({ migrateStores }: MigrateCommandDeps): Command {
  return {
    name: 'migrate',
    summary: 'Migrates PostgreSQL and ClickHouse to this release.',
    details:
      'With SVC_DATABASE_URL it needs SVC_DATABASE_OWNER_URL. "serve" migrates an embedded database itself; this command does it\nwhile no server runs. Migrations are additive: the previous release keeps working alongside.',
    async run({ print }) {
      for (const { store, applied } of await migrateStores()) {
        print(applied.length === 0 ? `${store}: up to date` : `${store}: applied ${applied.join(', ')}`);
      }
    },
  };
}
