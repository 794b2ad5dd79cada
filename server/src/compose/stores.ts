import { readFileSync } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import { type BlobStore, createFolderBlobs } from '#blobs';
import { type Bus, createLogBus } from '#bus';
import { createSealer, type Sealer } from '#crypto';
import { AppError } from '#kernel';
import type { Relational } from '#relational';
import { openTelemetry, requireEngine, type Telemetry } from '#telemetry';
import type { Config } from '../config.ts';
import { type DataDir, openDataDir, resolveEnvelopeKey } from '../process/data-dir.ts';
import { type OpenedDatabase, openDatabase } from '../process/database.ts';
import { findClickhouseMigrations } from '../process/installation.ts';
import { openKafka } from './kafka.ts';

/** Everything that a server keeps, opened under the data directory's lock. */
export interface Stores {
  dataDir: DataDir;
  sealer: Sealer;
  relational: Relational;
  telemetry: Telemetry;
  bus: Bus;
  blobs: BlobStore;
  /** Settles when an embedded PostgreSQL ends, asked for or not; undefined for one outside. */
  databaseEnded: Promise<void> | undefined;
  /** In the order in which they need each other: bus, column store, database, lock. */
  close(): Promise<void>;
}

/** Adds the key to what a store says of itself: the store does not know by which one it was named. */
async function naming<T>(key: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
    throw new AppError(error.code, `${error.message} It is set by ${key}.`, { cause: error });
  }
}

const openColumns = (config: Config, dataDir: DataDir, log: FastifyBaseLogger): Promise<Telemetry> => {
  const { clickhouseUrl, clickhouseCaFile } = config.telemetry;
  const opening = openTelemetry({
    dataDir: dataDir.path,
    migrationsDir: findClickhouseMigrations(),
    log,
    ...(clickhouseUrl ? { url: clickhouseUrl.reveal(), migrations: 'check' as const } : {}),
    ...(clickhouseCaFile ? { ca: readFileSync(clickhouseCaFile, 'utf8') } : {}),
  });
  return clickhouseUrl ? naming('SVC_CLICKHOUSE_URL', opening) : opening;
};

const openBus = (config: Config, dataDir: DataDir, log: FastifyBaseLogger): Promise<Bus> =>
  config.bus.brokers.length > 0
    ? naming('SVC_KAFKA_BROKERS', openKafka(config, log))
    : createLogBus({ folder: dataDir.join('log'), log, maxBytes: config.bus.logMaxBytes });

/** Opens all stores, the slow ones side by side. What was opened is closed again when one of them fails. */
export async function openStores(config: Config, log: FastifyBaseLogger): Promise<Stores> {
  await requireEngine(config.telemetry.clickhouseUrl?.reveal());
  const dataDir = openDataDir(config.dataDir);
  const closers: (() => Promise<void>)[] = [async () => dataDir.release()];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  const kept = <T extends { close(): Promise<void> }>(store: T): T => {
    closers.push(() => store.close());
    return store;
  };
  try {
    const sealer = createSealer(resolveEnvelopeKey(dataDir, config.server.envelopeKey?.reveal()));
    const opened = await Promise.allSettled([
      openDatabase(config, dataDir, log),
      openColumns(config, dataDir, log),
      openBus(config, dataDir, log),
    ]);
    for (const one of opened) if (one.status === 'fulfilled') kept(one.value);
    const [database, telemetry, bus] = opened.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    }) as [OpenedDatabase, Telemetry, Bus];
    const blobs = createFolderBlobs(dataDir.join('blobs'));
    const databaseEnded = database.embedded?.exited;
    return { dataDir, sealer, relational: database.relational, telemetry, bus, blobs, databaseEnded, close };
  } catch (error) {
    await close();
    throw error;
  }
}
