import closeWithGrace from 'close-with-grace';
import { type Logger, pino } from 'pino';
import { runCryptoSelfTest } from '#crypto';
import { AppError } from '#kernel';
import { boundAllocator, type Config, loadConfig, widenThreadPool } from '../config.ts';
import type { DataDir } from './data-dir.ts';
import { openServerTls, type ServerTls } from './local-tls.ts';
import { reportFailure, watchDatabase } from './report-failure.ts';
import { leaveAddresses } from './served-addresses.ts';

const DRAIN_LIMIT_MS = 25_000;
/** Ctrl-C goes to a whole process group, and npm and bin/svc.js pass on what they got: within this time it is the same signal. */
const REPEATED_WITHIN_MS = 1000;
const STOP_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;

/** What `serve` runs; compose/ gives it, so that the process knows no slice and no store. */
export interface Composition<Stores extends OpenedStores, Product extends RunningProduct> {
  openStores(config: Config, log: Logger): Promise<Stores>;
  compose(deps: { config: Config; stores: Stores; tls: ServerTls; log: Logger }): Promise<Product>;
  /** What a parent is sent over the IPC channel once requests are served. */
  describeReady(product: Product, config: Config): Promise<object>;
  /** Where there is no parent: what may stand in a log. */
  logReady(product: Product, config: Config, log: Logger): Promise<void>;
}

interface OpenedStores {
  dataDir: DataDir;
  /** Settles when an embedded PostgreSQL ends, asked for or not; undefined for one outside. */
  databaseEnded: Promise<void> | undefined;
  close(): Promise<void>;
}

interface RunningProduct {
  start(): Promise<unknown>;
  drain(graceMs?: number): Promise<void>;
}

/** The first signal stops in order; a later one that is not the same again ends the process at once. */
function stopOnSignals(stop: () => unknown, log: Logger): void {
  let firstAtMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAtMs === undefined) {
      firstAtMs = performance.now();
      log.info({ signal }, 'stopping');
      stop();
    } else if (performance.now() - firstAtMs >= REPEATED_WITHIN_MS) {
      log.error(`second ${signal}, exiting`);
      process.exit(1);
    }
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
}

/** Runs until a signal or the parent's end; resolves with the exit code: 2 for configuration, 1 where something outside fails. */
export async function serve<Stores extends OpenedStores, Product extends RunningProduct>({
  openStores,
  compose,
  describeReady,
  logReady,
}: Composition<Stores, Product>): Promise<number> {
  let stores: Stores | undefined;
  let product: Product | undefined;
  let database: ReturnType<typeof watchDatabase> | undefined;
  // Started by npm start: when it is gone, even by kill -9 and while we still start, so are we.
  const parentGone = process.connected ? new Promise((resolve) => process.once('disconnect', resolve)) : undefined;
  widenThreadPool();
  try {
    const config = loadConfig();
    boundAllocator();
    await runCryptoSelfTest({ fips: false });
    const log = pino({ level: config.server.logLevel });
    stores = await openStores(config, log);
    leaveAddresses(stores.dataDir, config);
    const tls = await openServerTls(config.tls, stores.dataDir);
    product = await compose({ config, stores, tls, log });
    await product.start();
    const opened = stores;
    const running = product;
    const graceMs = config.server.drainGraceSeconds * 1000;
    database = watchDatabase(opened.databaseEnded);
    const grace = { delay: graceMs + DRAIN_LIMIT_MS, logger: log, skip: [...STOP_SIGNALS] };
    const { close } = closeWithGrace(grace, async ({ err }) => {
      if (err) log.fatal({ err }, 'stopping after an error nobody handled');
      log.info('draining');
      database?.expect();
      await running.drain(err ? 0 : graceMs);
      await opened.close();
      log.info('stopped');
    });
    stopOnSignals(close, log);
    void parentGone?.then(() => process.kill(process.pid, 'SIGTERM'));
    if (process.send) process.send(await describeReady(product, config));
    else await logReady(product, config, log);
    return 0;
  } catch (error) {
    // Before the stores are closed: what closing them causes is not why this start failed.
    database?.expect();
    const code = reportFailure(
      error instanceof AppError ? error : new AppError('internal', 'The server could not start.', { cause: error }),
    );
    await product?.drain().catch(() => {});
    await stores?.close().catch(() => {});
    return code;
  }
}
