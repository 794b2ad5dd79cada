import { readFileSync } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import { AppError } from '#kernel';
import { migrate } from '#relational';
import { migrateTelemetry } from '#telemetry';
import type { Config } from '../config.ts';
import { openDataDir } from './data-dir.ts';
import { openDatabase } from './database.ts';
import { findClickhouseMigrations } from './installation.ts';

/**
 * For `svc migrate`. An embedded database is started alone under the data directory's lock, so it refuses (AppError `conflict`)
 * while a server runs there.
 */
export async function migrateDatabase(config: Config, log: FastifyBaseLogger): Promise<readonly string[]> {
  if (config.database.url) {
    const owner = config.database.ownerUrl;
    if (owner) return await migrate(owner.reveal());
    const faults = [{ path: 'SVC_DATABASE_OWNER_URL', message: 'must be set: migrations run as the owner of the database' }];
    throw new AppError('validation', 'The database cannot be migrated.', { faults });
  }
  const dataDir = openDataDir(config.dataDir);
  try {
    const opened = await openDatabase(config, dataDir, log);
    await opened.close();
    return opened.applied;
  } finally {
    dataDir.release();
  }
}

/** For `svc migrate`: both stores; an embedded ClickHouse is migrated by `serve`, which alone may open it. */
export async function migrateStores(config: Config, log: FastifyBaseLogger) {
  const database = { store: 'PostgreSQL', applied: await migrateDatabase(config, log) };
  const { clickhouseUrl: url, clickhouseCaFile } = config.telemetry;
  if (!url) return [database];
  const ca = clickhouseCaFile ? { ca: readFileSync(clickhouseCaFile, 'utf8') } : {};
  const options = { dataDir: config.dataDir, migrationsDir: findClickhouseMigrations(), url: url.reveal(), log, ...ca };
  return [database, { store: 'ClickHouse', applied: await migrateTelemetry(options) }];
}
