import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#kernel';
import type { Engine } from './engine/engine.ts';

interface Migration {
  /** File name, for example 0001_results.sql. */
  name: string;
  checksum: string;
  statements: string[];
}

const FILE = /^\d{4}_[a-z0-9_]+\.sql$/;
const TIMEOUT_MS = 30_000;

const HISTORY = `CREATE TABLE IF NOT EXISTS schema_migrations
(name String, checksum String, applied_at DateTime64(3) DEFAULT now64(3))
ENGINE = MergeTree ORDER BY name
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, auto_statistics_types = ''`;

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      if (!FILE.test(name)) throw new AppError('internal', `Not the name of a migration: ${name}`);
      const bytes = await readFile(join(directory, name));
      const text = bytes.toString('utf8').replace(/^\s*--.*$/gm, '');
      const statements = text.split(/;\s*(?:\n|$)/).map((part) => part.trim());
      return {
        name,
        checksum: createHash('sha256').update(bytes).digest('hex'),
        statements: statements.filter((part) => part !== ''),
      };
    }),
  );
}

/** Numbers must not repeat, and what was applied must still be there unchanged. */
function checkHistory(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const numbers = new Set(migrations.map(({ name }) => name.slice(0, 4)));
  if (numbers.size !== migrations.length) throw new AppError('internal', 'Two ClickHouse migrations have the same number.');
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  for (const [name, checksum] of applied) {
    if (!known.has(name))
      throw new AppError(
        'unavailable',
        `The column store was made by a newer version: it holds migration ${name}, which this one does not know.`,
      );
    if (known.get(name) !== checksum)
      throw new AppError(
        'unavailable',
        `ClickHouse migration ${name} was edited after it had been applied. Put the original back and write a new one.`,
      );
  }
}

const UNKNOWN_TABLE = '60';

/** Name -> checksum of what was applied; nothing on a store that never had a migration. */
async function readHistory(engine: Engine): Promise<Map<string, string>> {
  const sql = 'SELECT name, any(checksum) AS checksum FROM schema_migrations GROUP BY name';
  try {
    const rows = await engine.query<{ name: string; checksum: string }>({
      sql,
      params: {},
      timeoutMs: TIMEOUT_MS,
      maxRows: 10_000,
    });
    return new Map(rows.map(({ name, checksum }) => [name, checksum]));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === UNKNOWN_TABLE) return new Map();
    throw cause;
  }
}

const MUTATION = /^ALTER TABLE \w+ UPDATE\s/;
const LOOK_AGAIN_MS = 50;
const LONGEST_MUTATION_MS = 3_600_000;

/** What changes rows goes on by itself: a large store takes longer than a statement may. */
async function waitForMutations(engine: Engine): Promise<void> {
  const sql = `SELECT count() AS open, max(latest_fail_reason) AS fault FROM system.mutations
    WHERE database = currentDatabase() AND NOT is_done`;
  for (const limit = performance.now() + LONGEST_MUTATION_MS; performance.now() < limit; await sleep(LOOK_AGAIN_MS)) {
    const [found] = await engine.query<{ open: number; fault: string }>({ sql, params: {}, timeoutMs: TIMEOUT_MS, maxRows: 1 });
    if (found === undefined || found.open === 0) return;
    if (found.fault !== '') throw new AppError('unavailable', `${engine.place} cannot change its rows: ${found.fault}`);
  }
  throw new AppError('unavailable', `${engine.place} is still changing its rows after an hour. Start again later.`);
}

/**
 * Applies the numbered SQL files that the store has not had yet, in order, or only checks that none is missing.
 * Statements are idempotent (IF NOT EXISTS): ClickHouse has no transactions, and several replicas may start at once.
 */
export async function migrateStore(engine: Engine, options: { directory: string; mode: 'apply' | 'check' }): Promise<string[]> {
  const migrations = await readMigrations(options.directory);
  if (options.mode === 'apply') await engine.command(HISTORY);
  const applied = await readHistory(engine);
  checkHistory(migrations, applied);
  const missing = migrations.filter(({ name }) => !applied.has(name));
  if (options.mode === 'check' && missing.length > 0) {
    throw new AppError('unavailable', `${engine.place} lacks ${missing.length} migrations: run "npm run svc -- migrate".`);
  }
  for (const migration of missing) {
    for (const statement of migration.statements) {
      await engine.command(statement);
      if (MUTATION.test(statement)) await waitForMutations(engine);
    }
    await engine.command(`INSERT INTO schema_migrations (name, checksum) SELECT '${migration.name}', '${migration.checksum}'`);
  }
  return missing.map(({ name }) => name);
}
