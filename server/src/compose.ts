import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { mountApi } from '#api';
import { createHttpEdge, type GrpcEdge, type HttpEdge, mountConsole, mountHealth, type Readiness } from '#edge';
import { formatHostPort, type Slice, systemClock } from '#kernel';
import { type AppRouter, createAppRouter } from './app-router.ts';
import { VERSION } from './build-info.ts';
import { composeExport, composeSelfMetrics } from './compose-metrics.ts';
import { composeOtlpReceiver } from './compose-otlp.ts';
import { type Config, toIdentityConfig } from './config.ts';
import { checkAll, createAgentEdge, findConsole, listenAt } from './edges.ts';
import { createAudit } from './features/audit/index.ts';
import { createEndpoint } from './features/endpoint/index.ts';
import { createFleet } from './features/fleet/index.ts';
import { createIdentity } from './features/identity/index.ts';
import { createLogs } from './features/logs/index.ts';
import { createMetrics } from './features/metrics/index.ts';
import { createOtlp } from './features/otlp/index.ts';
import { createReleases } from './features/releases/index.ts';
import { createResults } from './features/results/index.ts';
import { createTopology } from './features/topology/index.ts';
import { createTraces } from './features/traces/index.ts';
import { openServerTls, type ServerTls } from './local-tls.ts';
import type { Stores } from './open-stores.ts';
import { findReachableAddress } from './reachable-address.ts';
import { readCounts } from './read-counts.ts';
import { createSampleRollUps } from './roll-up-samples.ts';
import { createTlsRenewal } from './tls-renewal.ts';

export interface Product {
  slices: ReturnType<typeof createSlices>;
  router: AppRouter;
  http: HttpEdge;
  grpc: GrpcEdge | undefined;
  readiness: Readiness;
  /** Starts consumers and listeners; resolves when requests are served. */
  start(): Promise<{ httpPort: number; grpcPort: number | undefined }>;
  /**
   * Not ready at once, and agents are sent away; for `graceMs` requests are still taken, then what was accepted finishes, and
   * everything is let go of but the stores.
   */
  drain(graceMs?: number): Promise<void>;
}

export interface ComposeDeps {
  config: Config;
  stores: Stores;
  tls: ServerTls;
  log: FastifyBaseLogger;
}

/** What reads back what services sent. */
function createExplorers({ config, stores, log }: Omit<ComposeDeps, 'tls'>) {
  const { relational, telemetry } = stores;
  const deps = { telemetry, clock: systemClock };
  const works = config.server.roles.includes('evaluate');
  return {
    logs: createLogs(deps),
    metrics: createMetrics({ ...deps, relational, keptDays: config.metrics.application, works, log }),
    topology: createTopology({ ...deps, relational, works, log }),
    traces: createTraces(deps),
  };
}

/** Calls each createX(deps) and ties the threads between slices: what one needs of another is a function here. */
export function createSlices({ config, stores, tls, log }: ComposeDeps, procedures: () => ReadonlySet<string>) {
  const { relational, sealer } = stores;
  const clock = systemClock;
  const { selfMetrics, bus, telemetry } = composeSelfMetrics({ config, stores, procedures, log }, () =>
    readCounts({ endpoint, results, ...otlpIn, otlpExport }),
  );
  const memoryUse = () => telemetry.memory?.use();
  const works = config.server.roles.includes('evaluate');
  const reachable = findReachableAddress(config);
  const audit = createAudit({
    relational,
    sealer,
    clock,
    nameActors: (tenant, ids) => identity.nameActors(tenant, ids),
    retentionDays: config.audit.retentionDays,
    prunes: works,
    log,
  });
  const { appendAudit } = audit;
  const identity = createIdentity({
    relational,
    appendAudit,
    sealer,
    clock,
    config: toIdentityConfig(config),
    buildTag: config.buildTag,
    log,
  });
  const results = createResults({ bus, telemetry, clock, log });
  const endpoint = createEndpoint({
    relational,
    bus,
    results: results.queries,
    toCanonical: results.toCanonical,
    series: telemetry.series,
    noteContact: (agent) => fleet.noteContact(agent),
    clock,
    log,
  });
  const fleet = createFleet({
    relational,
    sealer,
    appendAudit,
    writeAgentCopies: endpoint.writeAgentCopies,
    removeAgentCopies: endpoint.removeAgentCopies,
    describeTenant: identity.describeTenant,
    log,
    clock,
    serverUrl: reachable.serverUrl,
    reachable: reachable.isReachable,
    grpcAddr: formatHostPort(reachable.grpcAddr),
    grpcCa: tls.ca ?? '',
    pin: tls.pin,
    seedTargets: { trace: config.endpoint.traceTargets, session: config.endpoint.sessionTargets },
    enrollRatePerMinute: config.enrolment.enrollRatePerMin,
  });
  const releases = createReleases({ blobs: stores.blobs, ratePerMinute: config.releases.ratePerMin });
  const explorers = createExplorers({ config, stores, log });
  const otlpExport = composeExport({ config, bus, collectOwn: selfMetrics.collect, relational, appendAudit, log });
  const rollUps = createSampleRollUps({ relational, series: telemetry.series, works, log });
  const otlp = createOtlp({ bus, telemetry, metricDays: config.metrics, log });
  const threads = { relational, bus, holdMs: otlp.holdMs, appendAudit, memoryUse };
  const otlpIn = { otlp, otlpReceiver: composeOtlpReceiver({ ...threads, config, tls, identity, log }) };
  // First: it times the routes that come after its own.
  return { selfMetrics, audit, identity, results, endpoint, fleet, releases, ...explorers, ...otlpIn, rollUps, otlpExport };
}

/** Slices that read the bus; the others begin wherever they are. */
const CONSUMERS: ReadonlySet<string> = new Set(['results', 'endpoint', 'otlp']);

const createRouter = ({
  audit,
  identity,
  endpoint,
  fleet,
  logs,
  topology,
  metrics,
  traces,
  otlpReceiver,
  otlpExport,
}: Product['slices']): AppRouter =>
  createAppRouter({
    audit: audit.procedures,
    identity: identity.procedures,
    endpoint: endpoint.procedures,
    fleet: fleet.procedures,
    otlpExport: otlpExport.procedures,
    logs: logs.procedures,
    topology: topology.procedures,
    metrics: metrics.procedures,
    otlp: otlpReceiver.procedures,
    traces: traces.procedures,
  });

/** The composition root: picks adapters, creates slices, mounts and drains all of them alike. */
export async function compose(deps: ComposeDeps): Promise<Product> {
  const { config, stores, tls, log } = deps;
  const slices = createSlices(deps, () => new Set(Object.keys(router._def.procedures)));
  const { identity, fleet } = slices;
  const all: readonly Slice[] = Object.values(slices);
  const router = createRouter(slices);
  const serves = (role: Config['server']['roles'][number]) => config.server.roles.includes(role);
  const readiness: Readiness = { phase: 'starting' };
  const http = await createHttpEdge({
    tls: { key: tls.key, cert: tls.cert },
    log,
    trustedProxies: config.server.trustedProxies,
    ratePerMinute: config.server.apiRatePerMin,
    readiness,
  });
  const renewal = createTlsRenewal({
    tls,
    reopen: () => openServerTls(config.tls, stores.dataDir),
    present: (next) => {
      http.setTls(next);
      grpc?.setTls(next);
      slices.otlpReceiver.setSharedTls(next);
    },
    clock: systemClock,
    log,
  });
  mountHealth(http.app, {
    readiness,
    checks: () => checkAll(stores, all, renewal.health()),
    securityContact: config.server.securityContact,
    publicUrl: config.publicUrl,
    now: Date.now,
  });
  for (const slice of all) await slice.routes?.(http.app);
  if (serves('api')) {
    const { resolveRequest, cookieName: sessionCookie } = identity;
    await mountApi(http.app, { router, version: VERSION, publicUrl: config.publicUrl, sessionCookie, resolveRequest });
    await mountConsole(http.app, findConsole());
  }
  const grpc = serves('ingest') ? await createAgentEdge({ tls, log, fleet, slices: all }) : undefined;
  return {
    slices,
    router,
    http,
    grpc,
    readiness,
    async start() {
      for (const slice of all) if (serves('consume') || !CONSUMERS.has(slice.name)) await slice.start?.();
      const grpcPort = grpc ? await listenAt(grpc, 'SVC_AGENT_GRPC_ADDR', config.server.agentGrpcAddr) : undefined;
      const httpPort = await listenAt(http, 'SVC_LISTEN_ADDR', config.server.listenAddr);
      renewal.start();
      readiness.phase = 'serving';
      return { httpPort, grpcPort };
    },
    async drain(graceMs = 0) {
      readiness.phase = 'draining';
      renewal.close();
      // Agents keep what is not acknowledged and come again elsewhere: they need no grace.
      await Promise.all([grpc?.drain(), sleep(graceMs).then(() => http.close())]);
      await grpc?.close();
      for (const slice of [...all].reverse()) await slice.close?.();
    },
  };
}
