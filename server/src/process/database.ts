import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { AppError } from '#kernel';
import {
  type EmbeddedPostgres,
  embeddedUrls,
  findPendingMigrations,
  migrate,
  openRelational,
  type PostgresAccess,
  type Relational,
  startEmbeddedPostgres,
} from '#relational';
import type { Config } from '../config.ts';
import { type DataDir, findLockHolder, openDataDir, writePrivateFile } from './data-dir.ts';

type DatabaseConfig = Pick<Config, 'database' | 'dataDir'>;

export interface OpenedDatabase {
  relational: Relational;
  /** Migrations that this start applied; only an embedded database is migrated so. */
  applied: readonly string[];
  /** Undefined for SVC_DATABASE_URL, and for a command beside a running server. */
  embedded: EmbeddedPostgres | undefined;
  /** Closes the pool, then stops an embedded PostgreSQL; call it after everything that uses the database. */
  close(): Promise<void>;
}

const serverFile = (dataDir: string): string => join(dataDir, 'run', 'server.json');

/** The embedded database's port and passwords as the last start wrote them; undefined when there are none. */
export function readServerFile(dataDir: string): PostgresAccess | undefined {
  const file = serverFile(dataDir);
  if (!existsSync(file)) return undefined;
  try {
    const { postgres } = JSON.parse(readFileSync(file, 'utf8')) as { postgres: Record<string, unknown> };
    const { port, superPassword, ownerPassword, appPassword } = postgres;
    if (typeof port !== 'number' || ![superPassword, ownerPassword, appPassword].every((one) => typeof one === 'string'))
      return undefined;
    return postgres as unknown as PostgresAccess;
  } catch {
    return undefined;
  }
}

async function openEmbedded(config: DatabaseConfig, dataDir: DataDir, log: FastifyBaseLogger): Promise<OpenedDatabase> {
  const access = readServerFile(dataDir.path);
  const embedded = await startEmbeddedPostgres({ cluster: dataDir.join('postgres'), logDir: dataDir.join('run'), access, log });
  try {
    writePrivateFile(serverFile(dataDir.path), `${JSON.stringify({ pid: process.pid, postgres: embedded.access })}\n`);
    const applied = await migrate(embedded.ownerUrl);
    if (applied.length > 0) log.info({ applied }, 'database migrated');
    const relational = await openRelational({ appUrl: embedded.appUrl, log, poolSize: config.database.poolSize });
    return {
      relational,
      applied,
      embedded,
      close: async () => {
        await relational.close();
        await embedded.stop();
      },
    };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

async function openExternal(config: DatabaseConfig, url: string, log: FastifyBaseLogger): Promise<OpenedDatabase> {
  const relational = await openRelational({ appUrl: url, log, poolSize: config.database.poolSize }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
    const { host } = new URL(url);
    throw new AppError('unavailable', `PostgreSQL at ${host} (SVC_DATABASE_URL) cannot be reached or refuses the login.`, {
      cause: error,
    });
  });
  const pending = await findPendingMigrations(relational);
  if (pending.length === 0) return { relational, applied: [], embedded: undefined, close: async () => await relational.close() };
  await relational.close();
  throw new AppError(
    'conflict',
    `The database lacks ${pending.length} migration(s) of this release (${pending.join(', ')}): run "npm run svc -- migrate" with SVC_DATABASE_OWNER_URL first.`,
  );
}

/**
 * For `serve`: the embedded PostgreSQL, started and migrated, or the one of SVC_DATABASE_URL, which must be migrated already.
 * AppError with the reason when it cannot be opened; nothing is left running then.
 */
export async function openDatabase(config: DatabaseConfig, dataDir: DataDir, log: FastifyBaseLogger): Promise<OpenedDatabase> {
  const url = config.database.url?.reveal();
  return url === undefined ? await openEmbedded(config, dataDir, log) : await openExternal(config, url, log);
}

/**
 * For a command: beside a running embedded server its database (run/server.json), else the embedded one started alone under the
 * directory's lock, else SVC_DATABASE_URL.
 */
export async function openDatabaseBeside(config: DatabaseConfig, log: FastifyBaseLogger): Promise<OpenedDatabase> {
  const url = config.database.url?.reveal();
  if (url !== undefined) return await openExternal(config, url, log);
  const running = findLockHolder(config.dataDir);
  if (running !== undefined) {
    const access = readServerFile(config.dataDir);
    const starting = `The server (process ${running}) is starting or stopping. Try again in a moment.`;
    if (!access) throw new AppError('unavailable', starting);
    const relational = await openRelational({ appUrl: embeddedUrls(access).appUrl, log, poolSize: 2 }).catch((cause: unknown) => {
      throw new AppError('unavailable', starting, { cause });
    });
    return { relational, applied: [], embedded: undefined, close: async () => await relational.close() };
  }
  const dataDir = openDataDir(config.dataDir);
  try {
    const opened = await openEmbedded(config, dataDir, log);
    return {
      ...opened,
      close: async () => {
        await opened.close();
        dataDir.release();
      },
    };
  } catch (error) {
    dataDir.release();
    throw error;
  }
}
