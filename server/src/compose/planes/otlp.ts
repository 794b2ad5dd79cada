import { type HasRole, type Health, type Slice, systemClock } from '#kernel';
import type { Config } from '../../config.ts';
import { createOtlp } from '../../features/otlp/index.ts';
import { createOtlpStore } from '../../features/otlp-store/index.ts';
import { createOtlpTokens } from '../../features/otlp-tokens/index.ts';
import { readTlsFiles, type ServerTls } from '../../process/local-tls.ts';
import { findSenderHost } from '../../process/reachable-address.ts';
import { createTlsRenewal } from '../../process/tls-renewal.ts';
import type { Platform } from '../platform.ts';
import type {
  Audit,
  Cardinality,
  DiskShares,
  Identity,
  Otlp,
  OtlpStore,
  OtlpTokens,
  Quarantine,
  SelfMetrics,
} from '../threads.ts';

type OwnTls = { tls: ServerTls; reopen: () => Promise<ServerTls> };

interface TokenThreads {
  audit: Pick<Audit, 'appendAudit'>;
  identity: Pick<Identity, 'ensureTenant' | 'nameActors'>;
  otlp: Pick<Otlp, 'describe' | 'report'>;
}

interface ReceiverThreads {
  diskShares: Pick<DiskShares, 'bus'>;
  otlpStore: Pick<OtlpStore, 'holdMs' | 'receipt' | 'warningOf'>;
  otlpTokens: Pick<OtlpTokens, 'table' | 'follow' | 'addUse'>;
}

function readOwnTls({ tlsCertFile, tlsKeyFile }: Config['otlp']): OwnTls | undefined {
  if (!tlsCertFile || !tlsKeyFile) return undefined;
  const read = () => readTlsFiles(tlsCertFile, tlsKeyFile, 'SVC_OTLP_TLS');
  return { tls: read(), reopen: async () => read() };
}

interface StoreThreads {
  quarantine: Pick<Quarantine, 'bus'>;
  selfMetrics: Pick<SelfMetrics, 'telemetry'>;
  cardinality: Pick<Cardinality, 'noteSeries' | 'seriesByDay'>;
}

/** From the bus into the store, with the bounds of this server. */
export const composeOtlpStore = ({ config, stores, log }: Platform, { quarantine, selfMetrics, cardinality }: StoreThreads) =>
  createOtlpStore({
    bus: quarantine.bus,
    telemetry: selfMetrics.telemetry,
    relational: stores.relational,
    cardinality,
    metricDays: config.metrics,
    seriesPerDay: config.otlpStore.seriesPerDay,
    log,
  });

export const composeOtlpTokens = ({ config, stores, log }: Platform, slices: TokenThreads) =>
  createOtlpTokens({
    relational: stores.relational,
    appendAudit: slices.audit.appendAudit,
    ensureTenant: async (tenant) => void (await slices.identity.ensureTenant(tenant, { name: tenant, simulated: false })),
    nameActors: slices.identity.nameActors,
    configured: config.otlpTokens.tokens?.reveal() ?? [],
    receiver: { describe: () => slices.otlp.describe(), report: () => slices.otlp.report() },
    clock: systemClock,
    log,
  });

/** The OTLP receiver with the pair that it presents: files of its own, which it reads again when they change, or the other listeners'. */
export function composeOtlp({ config, plan, tls, log }: Platform, { diskShares, otlpStore, otlpTokens }: ReceiverThreads) {
  const own = readOwnTls(config.otlp);
  const receiving = createOtlp({
    bus: diskShares.bus,
    tokens: otlpTokens,
    onReport: otlpTokens.addUse,
    holdMs: otlpStore.holdMs,
    receipt: otlpStore.receipt,
    warningOf: otlpStore.warningOf,
    config: config.otlp,
    limits: { connections: plan.otlp, trustedProxies: config.server.trustedProxies },
    tls: own?.tls ?? tls,
    reachableHost: findSenderHost(config),
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
