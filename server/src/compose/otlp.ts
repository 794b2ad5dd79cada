import type { FastifyBaseLogger } from 'fastify';
import type { ConnectionBounds } from '#connections';
import { type Health, type Slice, systemClock, type TenantId } from '#kernel';
import type { Config } from '../config.ts';
import { createOtlp, type OtlpDeps } from '../features/otlp/index.ts';
import { createReceiving, type ReceivingDeps } from '../features/otlp/receiving.ts';
import { readTlsFiles, type ServerTls } from '../process/local-tls.ts';
import { findSenderHost } from '../process/reachable-address.ts';
import { createTlsRenewal } from '../process/tls-renewal.ts';

type OwnTls = { tls: ServerTls; reopen: () => Promise<ServerTls> };

interface OtlpComposeDeps extends Pick<ReceivingDeps, 'relational' | 'bus' | 'holdMs' | 'warningOf' | 'appendAudit'> {
  config: Config;
  bounds: ConnectionBounds;
  /** What the other listeners present. */
  tls: ServerTls;
  identity: Pick<ReceivingDeps, 'nameActors'> & {
    ensureTenant: (tenant: TenantId, facts: { name: string; simulated: boolean }) => Promise<unknown>;
  };
  log: FastifyBaseLogger;
}

function readOwnTls({ tlsCertFile, tlsKeyFile }: Config['otlp']): OwnTls | undefined {
  if (!tlsCertFile || !tlsKeyFile) return undefined;
  const read = () => readTlsFiles(tlsCertFile, tlsKeyFile, 'SVC_OTLP_TLS');
  return { tls: read(), reopen: async () => read() };
}

/** From the bus into the store, with the bounds of this server. */
export const composeOtlp = ({ config, ...deps }: Omit<OtlpDeps, 'metricDays' | 'seriesPerDay'> & { config: Config }) =>
  createOtlp({ ...deps, metricDays: config.metrics, seriesPerDay: config.otlp.seriesPerDay });

/** The OTLP receiver with the pair that it presents: files of its own, which it reads again when they change, or the other listeners'. */
export function composeOtlpReceiver({ config, bounds, tls, identity, log, ...threads }: OtlpComposeDeps) {
  const own = readOwnTls(config.otlp);
  const receiving = createReceiving({
    ...threads,
    ensureTenant: async (tenant) => void (await identity.ensureTenant(tenant, { name: tenant, simulated: false })),
    nameActors: identity.nameActors,
    config: config.otlp,
    limits: { connections: bounds, trustedProxies: config.server.trustedProxies },
    tls: own?.tls ?? tls,
    receives: config.server.roles.includes('ingest'),
    reachableHost: findSenderHost(config),
    clock: systemClock,
    log,
  });
  const renewal = own && createTlsRenewal({ ...own, present: receiving.setTls, clock: systemClock, log });
  return {
    ...receiving,
    /** The other listeners' pair was renewed. */
    setSharedTls: (next: ServerTls): void => (own ? undefined : receiving.setTls(next)),
    async start(): Promise<void> {
      await receiving.start();
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
