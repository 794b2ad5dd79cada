import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import {
  AppError,
  type ConfigOf,
  EVERY_ROLE,
  formatHostPort,
  type HasRole,
  type Health,
  type HostPort,
  keepsNothing,
  type Slice,
} from '#kernel';
import type { otlpKeys } from './config.ts';
import { connectionCounts } from './connection-counts.ts';
import { type Receiver, type ReceiverDeps, startReceiver } from './ingress.ts';
import type { ListenerTlsFiles, ReceiverLimits } from './messages.ts';
import type { TokenTable } from './token-gate.ts';

/** The tokens that count, and where to hear of changes. */
export interface SendersTokens {
  table(): TokenTable;
  /** `take` is awaited before whoever changed a token is answered. */
  follow(take: (table: TokenTable) => Promise<void>): void;
}

export interface OtlpDeps {
  bus: Pick<Bus, 'publish' | 'kind'>;
  tokens: SendersTokens;
  /** Takes what was counted since the last report. */
  onReport: ReceiverDeps['onReport'];
  holdMs?: ReceiverDeps['holdMs'];
  warningOf?: ReceiverDeps['warningOf'];
  receipt?: ReceiverDeps['receipt'];
  config: ConfigOf<typeof otlpKeys>;
  /** What the listeners present at first; `ca` is the local authority, undefined where the system's decide. */
  tls: ListenerTlsFiles & { ca: string | undefined };
  /** Of the listeners; what is absent is as usual. */
  limits?: Partial<ReceiverLimits>;
  /** Host at which other machines reach an address that listens on all of them. */
  reachableHost: string;
  log: FastifyBaseLogger;
}

const ANY_HOST = /^(0\.0\.0\.0|::)$/;

/** AppError `validation` for a file that holds no certificate. */
function readAuthorities(file: string): string {
  const pem = readFileSync(file, 'utf8');
  try {
    new X509Certificate(pem);
    return pem;
  } catch (cause) {
    const faults = [{ path: 'SVC_OTLP_CLIENT_CA_FILE', message: `is not PEM of certificates that can be read: ${file}` }];
    throw new AppError('validation', 'The authorities of OTLP clients cannot be used.', { cause, faults });
  }
}

/** Receives OpenTelemetry data and publishes them on the bus: listeners, in a thread of their own (docs/adr/0006-otlp.md). */
export function createOtlp({ bus, tokens, config, log, limits = {}, ...deps }: OtlpDeps) {
  let receiver: Receiver | undefined;

  const addressOf = (address: HostPort | undefined, bound: number | undefined): string | null => {
    if (!address) return null;
    const host = ANY_HOST.test(address.host) ? deps.reachableHost : address.host;
    return formatHostPort({ host, port: bound ?? address.port });
  };
  const describe = () => ({
    listeners: [
      { transport: 'grpc' as const, address: addressOf(config.grpcAddr, receiver?.ports().grpc) },
      { transport: 'http' as const, address: addressOf(config.httpAddr, receiver?.ports().http) },
    ],
    ca: deps.tls.ca ?? null,
    clientCertificates: config.clientCaFile !== undefined,
    receives: receiver !== undefined,
  });

  return {
    name: 'otlp-receiver',
    roles: EVERY_ROLE,
    /** Where `ingest` is served, opens the listeners that have an address. AppError `unavailable` names a taken port. */
    async start(hasRole: HasRole): Promise<void> {
      if (!hasRole('ingest') || !(config.grpcAddr || config.httpAddr)) return;
      const started = await startReceiver({
        ...{ grpc: config.grpcAddr, http: config.httpAddr, maxBytes: config.maxBytes, bus, log, limits },
        makesCrc: bus.kind === 'log',
        ...{ holdMs: deps.holdMs, warningOf: deps.warningOf, receipt: deps.receipt },
        tls: { key: deps.tls.key, cert: deps.tls.cert },
        clientCa: config.clientCaFile === undefined ? undefined : readAuthorities(config.clientCaFile),
        tokens: tokens.table(),
        onReport: deps.onReport,
      });
      receiver = started;
      tokens.follow(started.setTokens);
      // What changed while the listeners were opened.
      await started.setTokens(tokens.table());
    },
    /** Presents this certificate to whoever connects from now on. */
    setTls: (tls: ListenerTlsFiles): void => receiver?.setTls(tls),
    describe,
    /** Resolves when what was counted so far has been reported. */
    report: async (): Promise<void> => await receiver?.report(),
    /** host:port of each listener as senders reach it; undefined while nothing is received. */
    addresses: (): { grpc: string | null; http: string | null } | undefined => {
      const [grpc, http] = describe().listeners;
      return receiver && { grpc: grpc?.address ?? null, http: http?.address ?? null };
    },
    data: keepsNothing('what senders are counted by is of otlp-tokens'),
    health: async (): Promise<Health> => receiver?.health() ?? { status: 'ok' },
    counts: () => connectionCounts(receiver?.connections()),
    /** Sends clients away, answers what was accepted. */
    async close(): Promise<void> {
      await receiver?.drain();
    },
  } satisfies Slice & Record<string, unknown>;
}
