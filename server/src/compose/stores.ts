import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import { type BlobStore, createFolderBlobs } from '#blobs';
import { type Bus, createKafkaBus, createLogBus, type KafkaBusOptions } from '#bus';
import { createSealer, type Sealer } from '#crypto';
import { AppError, formatHostPort } from '#kernel';
import type { Relational } from '#relational';
import { openTelemetry, requireEngine, type Telemetry } from '#telemetry';
import type { Config } from '../config.ts';
import { type DataDir, openDataDir, resolveEnvelopeKey } from '../process/data-dir.ts';
import { type OpenedDatabase, openDatabase } from '../process/database.ts';
import { findClickhouseMigrations } from '../process/installation.ts';
import { usesKafkaTls } from '../process/platform-config.ts';

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

function readTls(bus: Config['bus']): KafkaBusOptions['tls'] {
  if (!usesKafkaTls(bus)) return undefined;
  return {
    ...(bus.tlsCaFile ? { ca: readFileSync(bus.tlsCaFile, 'utf8') } : {}),
    ...(bus.tlsCertFile ? { cert: readFileSync(bus.tlsCertFile, 'utf8') } : {}),
    ...(bus.tlsKeyFile ? { key: readFileSync(bus.tlsKeyFile, 'utf8') } : {}),
  };
}

function readLogin({ saslMechanism, saslUsername, saslPassword }: Config['bus']): KafkaBusOptions['sasl'] {
  if (!saslMechanism || !saslUsername || !saslPassword) return undefined;
  return { mechanism: saslMechanism, username: saslUsername, password: saslPassword.reveal() };
}

/** The bus of a fleet, by SVC_KAFKA_*; AppError `unavailable` that names the brokers when none answers. */
async function openKafka({ bus }: Pick<Config, 'bus'>, log: FastifyBaseLogger): Promise<Bus> {
  const tls = readTls(bus);
  const sasl = readLogin(bus);
  return await createKafkaBus({
    brokers: bus.brokers.map(formatHostPort),
    clientId: `svc-${hostname()}`,
    topics: Object.values(TOPICS),
    log,
    ...(tls ? { tls } : {}),
    ...(sasl ? { sasl } : {}),
  });
}

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
