import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { chdbIsThere, openChdb } from './chdb/engine.ts';
import { createColumnStore } from './clickhouse.ts';
import type { Engine } from './engine.ts';
import { openServer } from './engine-server.ts';
import { createMemoryTelemetry } from './memory.ts';
import { migrateStore } from './migrate.ts';
import type { Telemetry } from './ports.ts';
import { createTenantReaders } from './reading/tenant-readers.ts';
import { createSeriesStore } from './series.ts';
import { storeFailure } from './store-failure.ts';

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

/** Nobody asks them where there is a store. */
const MEMORY_READERS = 1;

async function openEngine(options: TelemetryOptions): Promise<Engine | undefined> {
  if (options.url !== undefined) return openServer({ url: options.url, ...(options.ca === undefined ? {} : { ca: options.ca }) });
  if (!(await chdbIsThere())) return undefined;
  return openChdb({ directory: join(options.dataDir, 'clickhouse'), memoryBytes: options.memoryBytes ?? DEFAULT_MEMORY_BYTES });
}

/**
 * Opens the column store and brings its schema up to date. Without SVC_CLICKHOUSE_URL and without a build of chDB everything is kept
 * in memory (`kind` is then `memory`). AppError `unavailable` naming the store when it cannot be reached or belongs to a newer version.
 */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const engine = await openEngine(options);
  if (engine === undefined) return createMemoryTelemetry();
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
    memory: undefined,
    series: createSeriesStore(store),
    readers: createTenantReaders(MEMORY_READERS),
    health: () => store.health(),
    close: () => store.close(),
  };
}

/** For `svc migrate`: applies what the store lacks and closes it again; gives the names applied. Errors as of `openTelemetry`. */
export async function migrateTelemetry(options: Omit<TelemetryOptions, 'migrations'>): Promise<string[]> {
  const engine = await openEngine(options);
  if (engine === undefined) return [];
  try {
    return await migrateStore(engine, { directory: options.migrationsDir, mode: 'apply' });
  } catch (cause) {
    throw storeFailure(engine, cause);
  } finally {
    await engine.close().catch(() => undefined);
  }
}
