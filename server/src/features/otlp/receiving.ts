import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import {
  AppError,
  type AuditEntry,
  type Clock,
  type ConfigOf,
  EVERY_ROLE,
  formatHostPort,
  type HasRole,
  type Health,
  type HostPort,
  type RowsOfTable,
  type Slice,
  type TenantId,
} from '#kernel';
import { type PagedTable, type Relational, readPages, type TenantSql } from '#relational';
import { createOtlpProcedures } from './api.ts';
import type { otlpKeys } from './config.ts';
import type { ListenerTlsFiles, ReceiverLimits } from './receive/messages.ts';
import { receivedCounts } from './receive/received-counts.ts';
import { type Receiver, type ReceiverDeps, startReceiver } from './receive/receiver.ts';
import { createTokenRegistry } from './tokens/registry.ts';
import { hasTokens, mintToken } from './tokens/store.ts';
import { createUsage } from './tokens/usage.ts';

export interface ReceivingDeps {
  relational: Relational;
  bus: Pick<Bus, 'publish' | 'kind'>;
  holdMs?: ReceiverDeps['holdMs'];
  warningOf?: ReceiverDeps['warningOf'];
  receipt?: ReceiverDeps['receipt'];
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  ensureTenant: (tenant: TenantId) => Promise<void>;
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  config: ConfigOf<typeof otlpKeys>;
  /** What the listeners present at first; `ca` is the local authority, undefined where the system's decide. */
  tls: ListenerTlsFiles & { ca: string | undefined };
  /** Of the listeners; what is absent is as usual. */
  limits?: Partial<ReceiverLimits>;
  /** Host at which other machines reach an address that listens on all of them. */
  reachableHost: string;
  clock: Clock;
  log: FastifyBaseLogger;
}

// Hashes of tokens are no data of the tenant and stay here.
const TABLES: readonly PagedTable[] = [
  {
    table: 'otlp_tokens',
    columns: ['id', 'name', 'configured', 'created_by', 'created_at', 'expires_at', 'revoked_at', 'last_used_at'],
    key: ['id'],
  },
  { table: 'otlp_token_days', columns: ['token_id', 'day', 'requests', 'items', 'bytes'], key: ['token_id', 'day'] },
  { table: 'otlp_signals', columns: ['signal', 'first_at', 'last_at', 'items'], key: ['signal'] },
  { table: 'otlp_refusals', columns: ['day', 'reason', 'count', 'last_at', 'message', 'resource'], key: ['day', 'reason'] },
];

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

async function* exportReceived(
  relational: Relational,
  tenant: TenantId,
  settle: (tenant: TenantId) => Promise<void>,
): AsyncGenerator<RowsOfTable> {
  await settle(tenant);
  for (const table of TABLES) for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
}

/** The receiving half of the slice: tokens, the listeners in a thread of their own, what is counted of them, and `otlp.*`. */
export function createReceiving(deps: ReceivingDeps) {
  const { relational, bus, appendAudit, config, clock, log, limits = {} } = deps;
  const registry = createTokenRegistry({
    ...{ relational, clock, log, ensureTenant: deps.ensureTenant },
    configured: config.tokens?.reveal() ?? [],
  });
  const usage = createUsage({ relational, clock, log });
  let receiver: Receiver | undefined;

  const addressOf = (address: HostPort | undefined, bound: number | undefined): string | null => {
    if (!address) return null;
    const host = ANY_HOST.test(address.host) ? deps.reachableHost : address.host;
    return formatHostPort({ host, port: bound ?? address.port });
  };
  const describeReceiver = () => ({
    listeners: [
      { transport: 'grpc' as const, address: addressOf(config.grpcAddr, receiver?.ports().grpc) },
      { transport: 'http' as const, address: addressOf(config.httpAddr, receiver?.ports().http) },
    ],
    ca: deps.tls.ca ?? null,
    clientCertificates: config.clientCaFile !== undefined,
    receives: receiver !== undefined,
  });
  const settle = async (tenant: TenantId): Promise<void> => {
    await receiver?.report();
    await usage.flush(tenant);
  };

  return {
    procedures: createOtlpProcedures({
      ...{ relational, appendAudit, clock, registry, usage, settle, describeReceiver },
      nameActors: deps.nameActors,
    }),
    name: 'otlp-receiver',
    roles: EVERY_ROLE,
    namespace: 'otlp' as const,
    /**
     * Reads the tokens and follows them; where `ingest` is served, opens the listeners that have an address. AppError `unavailable` names
     * a taken port.
     */
    async start(hasRole: HasRole): Promise<void> {
      await registry.start();
      usage.start();
      if (!hasRole('ingest') || !(config.grpcAddr || config.httpAddr)) return;
      const started = await startReceiver({
        ...{ grpc: config.grpcAddr, http: config.httpAddr, maxBytes: config.maxBytes, bus, log, limits },
        makesCrc: bus.kind === 'log',
        ...{ holdMs: deps.holdMs, warningOf: deps.warningOf, receipt: deps.receipt },
        tls: { key: deps.tls.key, cert: deps.tls.cert },
        clientCa: config.clientCaFile === undefined ? undefined : readAuthorities(config.clientCaFile),
        tokens: registry.table(),
        onReport: usage.add,
      });
      receiver = started;
      registry.follow(started.setTokens);
      // What changed while the listeners were opened.
      await started.setTokens(registry.table());
    },
    /** Presents this certificate to whoever connects from now on. */
    setTls: (tls: ListenerTlsFiles): void => receiver?.setTls(tls),
    /** host:port of each listener as senders reach it; undefined while nothing is received. */
    addresses: (): { grpc: string | null; http: string | null } | undefined => {
      const [grpc, http] = describeReceiver().listeners;
      return receiver && { grpc: grpc?.address ?? null, http: http?.address ?? null };
    },
    /** A first token for a tenant that never had one, while something is received: it is in the answer and nowhere else. */
    async mintFirstToken(tenant: TenantId): Promise<string | undefined> {
      if (!receiver || (await relational.withTenantSql(tenant, hasTokens))) return undefined;
      const wish = { name: 'shown at the first start', expiresAt: undefined, actor: { kind: 'system' as const, id: 'start' } };
      const { token } = await mintToken({ relational, appendAudit, clock }, tenant, wish);
      await registry.refresh();
      return token;
    },
    health: async (): Promise<Health> => receiver?.health() ?? { status: 'ok' },
    counts: () => receivedCounts({ ...usage.totals(), connections: receiver?.connections() }),
    exportRows: (tenant: TenantId) => exportReceived(relational, tenant, settle),
    /** Sends clients away, answers what was accepted, writes what was counted. */
    async close(): Promise<void> {
      await receiver?.drain();
      await registry.close();
      await usage.close();
    },
  } satisfies Slice & Record<string, unknown>;
}
