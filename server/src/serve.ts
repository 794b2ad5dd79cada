import closeWithGrace from 'close-with-grace';
import { type Logger, pino } from 'pino';
import { runCryptoSelfTest } from '#crypto';
import { AppError, parseTenantId } from '#kernel';
import { compose, type Product } from './compose.ts';
import { boundAllocator, type Config, loadConfig, widenThreadPool } from './config.ts';
import { openServerTls } from './local-tls.ts';
import { openStores, type Stores } from './open-stores.ts';
import { findReachableAddress } from './reachable-address.ts';
import { reportFailure, watchDatabase } from './report-failure.ts';

const DRAIN_LIMIT_MS = 25_000;
/** Ctrl-C goes to a whole process group, and npm and bin/svc.js pass on what they got: within this time it is the same signal. */
const REPEATED_WITHIN_MS = 1000;
const STOP_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;
const FIRST_TENANT = parseTenantId('default');

/** What `npm start` is told over the IPC channel, and prints. */
interface Ready {
  type: 'ready';
  consoleUrl: string;
  claimLink?: string;
  /** Absent where no token could be made; a note says why. */
  enrollCommand?: string;
  enrollToken?: string;
  agentServerUrl: string;
  dataDir: string;
  /** Where OpenTelemetry data are received, with a first token on the first start. */
  otlp?: { grpc: string | null; http: string | null; token?: string };
  notes: string[];
}

async function describeReady(product: Product, config: Config): Promise<Ready> {
  const { identity, fleet, otlpReceiver } = product.slices;
  const welcome = await identity.welcome();
  const enrolment = await fleet.mintAtStart(FIRST_TENANT);
  const otlp = otlpReceiver.addresses();
  // Only where somebody sees it: it is shown once.
  const otlpToken = process.connected ? await otlpReceiver.mintFirstToken(FIRST_TENANT) : undefined;
  const { isReachable } = findReachableAddress(config);
  const notes = [
    ...enrolment.notes,
    ...(isReachable ? [] : ['Other devices cannot reach this address; set SVC_LISTEN_ADDR and SVC_PUBLIC_URL to change that.']),
  ];
  return {
    type: 'ready',
    consoleUrl: config.publicUrl,
    ...(welcome ? { claimLink: welcome.claimUrl } : {}),
    ...(enrolment.command ? { enrollCommand: enrolment.command } : {}),
    ...(enrolment.token ? { enrollToken: enrolment.token } : {}),
    agentServerUrl: `https://localhost:${config.server.listenAddr.port}`,
    dataDir: config.dataDir,
    ...(otlp ? { otlp: { ...otlp, ...(otlpToken ? { token: otlpToken } : {}) } } : {}),
    notes,
  };
}

/** A log is kept and read by others: it names the commands that print a secret, and never holds one. Nothing is minted for it. */
async function logReady({ slices: { identity } }: Product, config: Config, log: Logger): Promise<void> {
  const awaitsAdmin = await identity.prepare();
  const commands = {
    ...(awaitsAdmin ? { claim: `npm run svc -- admin-link --tenant ${FIRST_TENANT}` } : {}),
    enrol: `npm run svc -- enroll-token create --tenant ${FIRST_TENANT}`,
  };
  log.info({ consoleUrl: config.publicUrl, commands }, 'ready');
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
export async function serve(): Promise<number> {
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
