import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { runCryptoSelfTest } from '#crypto';
import { AppError, parseTenantId } from '#kernel';
import { MAX_MEMORY_BYTES } from '#telemetry';
import { compose, type Product } from './compose.ts';
import { boundAllocator, type Config, loadConfig, widenThreadPool } from './config.ts';
import { openServerTls } from './local-tls.ts';
import { openStores, type Stores } from './open-stores.ts';
import { findReachableAddress } from './reachable-address.ts';
import { reportFailure } from './report-failure.ts';

const DRAIN_LIMIT_MS = 25_000;
const FIRST_TENANT = parseTenantId('default');

/** What `npm start` is told over the IPC channel, and prints; a server started by hand logs it instead. */
interface Ready {
  type: 'ready';
  consoleUrl: string;
  claimLink?: string;
  enrollCommand: string;
  enrollToken: string;
  agentServerUrl: string;
  dataDir: string;
  /** Where OpenTelemetry data are received, with a first token on the first start. */
  otlp?: { grpc: string | null; http: string | null; token?: string };
  notes: string[];
}

async function describeReady(product: Product, config: Config, stores: Stores): Promise<Ready> {
  const { identity, fleet, otlpReceiver } = product.slices;
  const welcome = await identity.welcome();
  const owner = { tenant: FIRST_TENANT, actor: { kind: 'system' as const, id: 'start' } };
  const forOthers = await fleet.createEnrolToken(owner, { label: 'printed at start', uses: 20, expires_in_hours: 24 });
  const forThis = await fleet.createEnrolToken(owner, { label: 'this machine', uses: 1, expires_in_hours: 1 / 6 });
  const otlp = otlpReceiver.addresses();
  // Only where somebody sees it: it is shown once.
  const otlpToken = process.connected ? await otlpReceiver.mintFirstToken(FIRST_TENANT) : undefined;
  const { isReachable } = findReachableAddress(config);
  const notes = [
    ...(stores.telemetry.kind === 'memory'
      ? [
          'No embedded ClickHouse exists for this platform: telemetry is kept in memory and lost at a stop.',
          `OpenTelemetry data takes at most ${MAX_MEMORY_BYTES / 2 ** 20} MiB of it, the oldest goes first; a stop also loses what was acknowledged.`,
        ]
      : []),
    ...(isReachable ? [] : ['Other devices cannot reach this address; set SVC_LISTEN_ADDR and SVC_PUBLIC_URL to change that.']),
  ];
  return {
    type: 'ready',
    consoleUrl: config.publicUrl,
    ...(welcome ? { claimLink: welcome.claimUrl } : {}),
    enrollCommand: forOthers.command,
    enrollToken: forThis.token,
    agentServerUrl: `https://localhost:${config.server.listenAddr.port}`,
    dataDir: config.dataDir,
    ...(otlp ? { otlp: { ...otlp, ...(otlpToken ? { token: otlpToken } : {}) } } : {}),
    notes,
  };
}

/** Runs until a signal or the parent's end; resolves with the exit code: 2 for configuration, 1 where something outside fails. */
export async function serve(): Promise<number> {
  let stores: Stores | undefined;
  let product: Product | undefined;
  // Started by npm start: when it is gone, even by kill -9 and while we still start, so are we.
  const parentGone = process.connected ? new Promise((resolve) => process.once('disconnect', resolve)) : undefined;
  widenThreadPool();
  try {
    const config = loadConfig();
    boundAllocator();
    await runCryptoSelfTest({ fips: false });
    const log = pino({ level: config.server.logLevel });
    stores = await openStores(config, log);
    const tls = await openServerTls(config.tls, stores.dataDir);
    product = await compose({ config, stores, tls, log });
    await product.start();
    const opened = stores;
    const running = product;
    const graceMs = config.server.drainGraceSeconds * 1000;
    let stopping = false;
    closeWithGrace({ delay: graceMs + DRAIN_LIMIT_MS, logger: log }, async ({ signal, err }) => {
      if (err) log.fatal({ err }, 'stopping after an error nobody handled');
      log.info({ signal }, 'draining');
      stopping = true;
      await running.drain(err ? 0 : graceMs);
      await opened.close();
      log.info('stopped');
    });
    // Thrown where nobody catches it, so that everything else is drained and the process ends with 1; the next start recovers.
    void opened.databaseEnded?.then(() => {
      if (!stopping) throw new AppError('unavailable', 'PostgreSQL ended by itself; see run/ in the data directory for its log.');
    });
    void parentGone?.then(() => process.kill(process.pid, 'SIGTERM'));
    const ready = await describeReady(product, config, stores);
    if (process.send) process.send(ready);
    else log.info({ consoleUrl: ready.consoleUrl, claimLink: ready.claimLink, enrollCommand: ready.enrollCommand }, 'ready');
    return 0;
  } catch (error) {
    await product?.drain().catch(() => {});
    await stores?.close().catch(() => {});
    return reportFailure(
      error instanceof AppError ? error : new AppError('internal', 'The server could not start.', { cause: error }),
    );
  }
}
