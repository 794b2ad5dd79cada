import type { Logger } from 'pino';
import { parseTenantId } from '#kernel';
import type { Config } from '../config.ts';
import { findReachableAddress } from '../process/reachable-address.ts';
import type { Product } from './product.ts';

const FIRST_TENANT = parseTenantId('default');

/** What `npm start` is told over the IPC channel, and prints. */
export interface Ready {
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

export async function describeReady(product: Product, config: Config): Promise<Ready> {
  const { identity, fleet, otlpTokens } = product.slices;
  const welcome = await identity.welcome();
  const enrolment = await fleet.mintAtStart(FIRST_TENANT);
  const otlp = product.slices.otlp.addresses();
  // Only where somebody sees it: it is shown once.
  const otlpToken = process.connected ? await otlpTokens.mintFirstToken(FIRST_TENANT) : undefined;
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
export async function logReady({ slices: { identity } }: Product, config: Config, log: Logger): Promise<void> {
  const awaitsAdmin = await identity.prepare();
  const commands = {
    ...(awaitsAdmin ? { claim: `npm run svc -- admin-link --tenant ${FIRST_TENANT}` } : {}),
    enrol: `npm run svc -- enroll-token create --tenant ${FIRST_TENANT}`,
  };
  log.info({ consoleUrl: config.publicUrl, commands }, 'ready');
}
