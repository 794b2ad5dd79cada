import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { AppError } from '#kernel';
import { chdbIsThere, openChdb } from './chdb/engine.ts';
import { createColumnStore } from './clickhouse.ts';
import type { Engine } from './engine/engine.ts';
import { openServer } from './engine/server.ts';
import { storeFailure } from './engine/store-failure.ts';
import { migrateStore } from './migrate.ts';
import type { Telemetry } from './ports.ts';
import { createSeriesStore } from './series/series.ts';

export interface TelemetryOptions {
  /** The server's data directory; the embedded store lives in its folder `clickhouse`. */
  dataDir: string;
  /** Folder of the numbered SQL files (`clickhouse/migrations`). */
  migrationsDir: string;
  /** A ClickHouse server instead of the embedded one. */
  url?: string;
  /** PEM of a certificate authority to trust besides the system's. */
  ca?: string;
  /** Bound of the embedded engine's memory, bytes. Default 1 GiB. */
  memoryBytes?: number;
  /** `check` refuses to start on a store that lacks migrations. Default `apply`. */
  migrations?: 'apply' | 'check';
  log: FastifyBaseLogger;
}

const DEFAULT_MEMORY_BYTES = 1024 ** 3;

/**
 * Asks, before anything is opened or made, whether there can be a column store: AppError `validation` that names SVC_CLICKHOUSE_URL and what to
 * do where no server is named and chDB has no build for this machine (Windows, musl) or was not installed.
 */
export async function requireEngine(url: string | undefined): Promise<void> {
  if (url !== undefined || (await chdbIsThere())) return;
  const platform = `${process.platform}-${process.arch}`;
  const message = `must be set: the embedded ClickHouse (chDB) has no build for ${platform}, or npm left it out (--omit=optional). Run a ClickHouse server and give its address, for example https://user:password@host:8443/svc`;
  const faults = [{ path: 'SVC_CLICKHOUSE_URL', message }];
  throw new AppError('validation', 'There is no store for telemetry.', { faults });
}

async function openEngine(options: TelemetryOptions): Promise<Engine> {
  await requireEngine(options.url);
  if (options.url !== undefined) return openServer({ url: options.url, ...(options.ca === undefined ? {} : { ca: options.ca }) });
  return openChdb({ directory: join(options.dataDir, 'clickhouse'), memoryBytes: options.memoryBytes ?? DEFAULT_MEMORY_BYTES });
}

/**
 * Opens the column store and brings its schema up to date. AppError `unavailable` naming the store when it cannot be reached or belongs to a
 * newer version; `validation` as of `requireEngine`.
 */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const engine = await openEngine(options);
  try {
    const applied = await migrateStore(engine, { directory: options.migrationsDir, mode: options.migrations ?? 'apply' });
    options.log.info({ store: engine.place, applied }, 'column store is open');
  } catch (cause) {
    await engine.close().catch(() => undefined);
    throw storeFailure(engine, cause);
  }
  const store = createColumnStore(engine);
  return {
    kind: engine.kind,
    store,
    series: createSeriesStore(store),
    health: () => store.health(),
    close: () => store.close(),
  };
}

/** For `svc migrate`: applies what the store lacks and closes it again; gives the names applied. Errors as of `openTelemetry`. */
export async function migrateTelemetry(options: Omit<TelemetryOptions, 'migrations'>): Promise<string[]> {
  const engine = await openEngine(options);
  try {
    return await migrateStore(engine, { directory: options.migrationsDir, mode: 'apply' });
  } catch (cause) {
    throw storeFailure(engine, cause);
  } finally {
    await engine.close().catch(() => undefined);
  }
}
