import type { Command } from './command.ts';

export interface MigrateCommandDeps {
  /** Applies what is missing in every store; gives the names by store. */
  migrateStores: () => Promise<readonly { store: string; applied: readonly string[] }[]>;
}

/** `svc migrate` */
export function createMigrateCommand({ migrateStores }: MigrateCommandDeps): Command {
  return {
    name: 'migrate',
    summary: 'Brings PostgreSQL and ClickHouse to this release.',
    details:
      'With SVC_DATABASE_URL it needs SVC_DATABASE_OWNER_URL. An embedded database is migrated by "serve" itself; this command does it\nwhile no server runs. Migrations are additive: the release before this one goes on working beside it.',
    async run({ print }) {
      for (const { store, applied } of await migrateStores()) {
        print(applied.length === 0 ? `${store}: up to date` : `${store}: applied ${applied.join(', ')}`);
      }
    },
  };
}
