import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { AppError } from '#kernel';
import { translateDatabaseError } from './pool.ts';
import type { Relational } from './port.ts';

/** Prisma's own key, so that its engine and this runner exclude each other. */
const ADVISORY_LOCK = 72707369;
const CONCURRENTLY = /^\s*(?:CREATE\s+(?:UNIQUE\s+)?|RE)INDEX\b[^;]*\bCONCURRENTLY\b/im;

export interface Migration {
  name: string;
  sql: string;
  /** SHA-256 of the file's bytes, lower-case hex, as in Prisma's table. */
  checksum: string;
}

/** The folder of migrations: of the checkout when run from source, beside the bundle in a release. */
export function findMigrationsDir(): string {
  const candidates = ['../../../prisma/migrations', '../../prisma/migrations', './prisma/migrations', '../prisma/migrations'];
  const found = candidates.map((path) => join(import.meta.dirname, path)).find((path) => existsSync(path));
  if (!found) throw new AppError('internal', 'The folder prisma/migrations is missing from this installation.');
  return found;
}

/** In the order in which they apply; a folder without migration.sql is none. */
export async function readMigrations(dir: string): Promise<Migration[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries.filter((entry) => existsSync(join(dir, entry.name, 'migration.sql'))).map((entry) => entry.name);
  return await Promise.all(
    names.sort().map(async (name) => {
      const bytes = await readFile(join(dir, name, 'migration.sql'));
      return { name, sql: bytes.toString('utf8'), checksum: createHash('sha256').update(bytes).digest('hex') };
    }),
  );
}

/** What the code brings and the database lacks; asks by the app role, so that `serve` needs no owner. */
export async function findPendingMigrations(relational: Relational, dir = findMigrationsDir()): Promise<string[]> {
  const wanted = await readMigrations(dir);
  const rows = await relational.directory<{ migration_name: string }>('applied_migrations').catch((error: unknown) => {
    // 42883, undefined_function: nothing was ever migrated here.
    if (Reflect.get(Object(error), 'code') === '42883') return [];
    throw error;
  });
  const applied = new Set(rows.map((row) => row.migration_name));
  return wanted.map((migration) => migration.name).filter((name) => !applied.has(name));
}

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

async function requireAppRole(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(`SELECT 1 FROM pg_roles WHERE rolname = 'svc_app'`);
  if (rowCount) return;
  throw new AppError(
    'conflict',
    "The database has no role svc_app, to which the migrations grant. Create it first: CREATE ROLE svc_app LOGIN PASSWORD '...' NOSUPERUSER NOBYPASSRLS; (docs/stores/database.md).",
  );
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const id = randomUUID();
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    migration.checksum,
    migration.name,
  ]);
  const finish = `UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = '${id}'`;
  try {
    if (CONCURRENTLY.test(migration.sql)) {
      // An index built beside writers cannot stand in a transaction: such a file holds this one statement alone.
      await client.query(migration.sql);
      await client.query(finish);
    } else {
      await client.query('BEGIN');
      await client.query(migration.sql);
      await client.query(finish);
      await client.query('COMMIT');
    }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    const reason = error instanceof Error ? error.message : String(error);
    await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, reason]).catch(() => {});
    throw new AppError('conflict', `Migration ${migration.name} failed: ${reason}`, { cause: error });
  }
}

function refuseDoubtful(migration: Migration, row: { checksum: string; finished_at: Date | null }): void {
  if (!row.finished_at) {
    throw new AppError(
      'conflict',
      `Migration ${migration.name} was begun and not finished. Look at its "logs" in _prisma_migrations, put the database right, then set rolled_back_at (to run it again) or finished_at on that row.`,
    );
  }
  if (row.checksum !== migration.checksum) {
    throw new AppError(
      'conflict',
      `Migration ${migration.name} was changed after it was applied. Restore its file and put the change into a new migration.`,
    );
  }
}

async function applyMissing(client: pg.Client, migrations: readonly Migration[]): Promise<string[]> {
  await requireAppRole(client);
  await client.query(CREATE_TABLE);
  const { rows } = await client.query<{ migration_name: string; checksum: string; finished_at: Date | null }>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  const known = new Map(rows.map((row) => [row.migration_name, row]));
  const applied: string[] = [];
  for (const migration of migrations) {
    const row = known.get(migration.name);
    if (row) refuseDoubtful(migration, row);
    else {
      await apply(client, migration);
      applied.push(migration.name);
    }
  }
  return applied;
}

/**
 * Applies what is missing, in order of name, as the owner; several at once wait for each other. Gives the names applied.
 * AppError `conflict` for an edited, unfinished or failing migration, `unavailable` when the database is not reached.
 */
export async function migrate(ownerUrl: string, dir = findMigrationsDir()): Promise<string[]> {
  const migrations = await readMigrations(dir);
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000, application_name: 'svc migrate' });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(`SET lock_timeout = '60s'; SELECT pg_advisory_lock(${ADVISORY_LOCK}); SET lock_timeout = '10s'`);
    try {
      return await applyMissing(client, migrations);
    } finally {
      await client.query(`SELECT pg_advisory_unlock(${ADVISORY_LOCK})`).catch(() => {});
    }
  } catch (error) {
    throw translateDatabaseError(error);
  } finally {
    await client.end().catch(() => {});
  }
}
