import { type HasRole, type Health, type Slice, systemClock } from '#kernel';
import type { Config } from '../config.ts';
import { createOtlp } from '../features/otlp/index.ts';
import { createReceiving } from '../features/otlp/receiving.ts';
import { readTlsFiles, type ServerTls } from '../process/local-tls.ts';
import { findSenderHost } from '../process/reachable-address.ts';
import { createTlsRenewal } from '../process/tls-renewal.ts';
import type { Platform } from './platform.ts';
import type { Audit, Cardinality, DiskShares, Identity, Otlp, Quarantine, SelfMetrics } from './threads.ts';

type OwnTls = { tls: ServerTls; reopen: () => Promise<ServerTls> };

interface ReceiverThreads {
  audit: Pick<Audit, 'appendAudit'>;
  diskShares: Pick<DiskShares, 'bus'>;
  identity: Pick<Identity, 'ensureTenant' | 'nameActors'>;
  otlp: Pick<Otlp, 'holdMs' | 'receipt' | 'warningOf'>;
}

function readOwnTls({ tlsCertFile, tlsKeyFile }: Config['otlp']): OwnTls | undefined {
  if (!tlsCertFile || !tlsKeyFile) return undefined;
  const read = () => readTlsFiles(tlsCertFile, tlsKeyFile, 'SVC_OTLP_TLS');
  return { tls: read(), reopen: async () => read() };
}

interface OtlpThreads {
  quarantine: Pick<Quarantine, 'bus'>;
  selfMetrics: Pick<SelfMetrics, 'telemetry'>;
  cardinality: Pick<Cardinality, 'noteSeries' | 'seriesByDay'>;
}

/** From the bus into the store, with the bounds of this server. */
export const composeOtlp = ({ config, stores, log }: Platform, { quarantine, selfMetrics, cardinality }: OtlpThreads) =>
  createOtlp({
    bus: quarantine.bus,
    telemetry: selfMetrics.telemetry,
    relational: stores.relational,
    cardinality,
    metricDays: config.metrics,
    seriesPerDay: config.otlp.seriesPerDay,
    log,
  });

/** The OTLP receiver with the pair that it presents: files of its own, which it reads again when they change, or the other listeners'. */
export function composeOtlpReceiver(
  { config, stores, plan, tls, log }: Platform,
  { audit, diskShares, identity, otlp }: ReceiverThreads,
) {
  const own = readOwnTls(config.otlp);
  const receiving = createReceiving({
    relational: stores.relational,
    bus: diskShares.bus,
    holdMs: otlp.holdMs,
    receipt: otlp.receipt,
    warningOf: otlp.warningOf,
    appendAudit: audit.appendAudit,
    ensureTenant: async (tenant) => void (await identity.ensureTenant(tenant, { name: tenant, simulated: false })),
    nameActors: identity.nameActors,
    config: config.otlp,
    limits: { connections: plan.otlp, trustedProxies: config.server.trustedProxies },
    tls: own?.tls ?? tls,
    reachableHost: findSenderHost(config),
    clock: systemClock,
    log,
  });
  const renewal = own && createTlsRenewal({ ...own, present: receiving.setTls, clock: systemClock, log });
  return {
    ...receiving,
    /** The other listeners' pair was renewed. */
    setSharedTls: (next: ServerTls): void => (own ? undefined : receiving.setTls(next)),
    async start(hasRole: HasRole): Promise<void> {
      await receiving.start(hasRole);
      renewal?.start();
    },
    async health(): Promise<Health> {
      const health = await receiving.health();
      return health.status === 'ok' && renewal ? await renewal.health() : health;
    },
    async close(): Promise<void> {
      renewal?.close();
      await receiving.close();
    },
  } satisfies Slice & Record<string, unknown>;
}
