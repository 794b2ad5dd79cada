import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { mountApi } from '#api';
import { type ConnectionPlan, planConnections } from '#connections';
import { type GrpcEdge, type HttpEdge, mountConsole, mountHealth, type Readiness } from '#edge';
import { formatHostPort, type Slice, systemClock, type TenantId } from '#kernel';
import { type Config, toIdentityConfig } from '../config.ts';
import { type AuditDeps, createAudit } from '../features/audit/index.ts';
import { createCardinality } from '../features/cardinality/index.ts';
import { createEndpoint } from '../features/endpoint/index.ts';
import { createFleet } from '../features/fleet/index.ts';
import { createIdentity } from '../features/identity/index.ts';
import { createLogs } from '../features/logs/index.ts';
import { createMetrics } from '../features/metrics/index.ts';
import { nameTokens } from '../features/otlp/tokens/store.ts';
import type { QuarantineDeps } from '../features/quarantine/index.ts';
import { createReleases } from '../features/releases/index.ts';
import { createResults } from '../features/results/index.ts';
import { createSampleRollUps } from '../features/results/roll-up-samples.ts';
import { createTopology } from '../features/topology/index.ts';
import { createTraces } from '../features/traces/index.ts';
import { VERSION } from '../process/build-info.ts';
import { findConsole } from '../process/installation.ts';
import { openServerTls, type ServerTls } from '../process/local-tls.ts';
import { findReachableAddress } from '../process/reachable-address.ts';
import { createTlsRenewal } from '../process/tls-renewal.ts';
import { type AppRouter, createAppRouter } from './app-router.ts';
import { checkAll, createAgentEdge, createPublicEdge, listenAt, planEdges } from './edges.ts';
import { composeExport, composeSelfMetrics } from './metrics.ts';
import { composeOtlp, composeOtlpReceiver } from './otlp.ts';
import { type CountingSlices, readCounts } from './read-counts.ts';
import type { Stores } from './stores.ts';

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
  /** What the listeners hold at most, and what they hold now. */
  connections?: { plan: ConnectionPlan; edges: CountingSlices['edges'] };
}

/** What reads back what services sent. */
function createExplorers(
  { config, stores, log }: Omit<ComposeDeps, 'tls' | 'connections'>,
  noteConnections: ReturnType<typeof createCardinality>['noteConnections'],
) {
  const { relational, telemetry } = stores;
  const deps = { telemetry, clock: systemClock };
  const works = config.server.roles.includes('evaluate');
  return {
    logs: createLogs(deps),
    metrics: createMetrics({ ...deps, relational, keptDays: config.metrics.application, works, log }),
    topology: createTopology({ ...deps, relational, works, noteConnections, log }),
    traces: createTraces(deps),
  };
}

/** Who does what, and the trail of it. */
function createPeople({ config, stores, log }: Omit<ComposeDeps, 'tls'>, nameObjects: AuditDeps['nameActors']) {
  const { relational, sealer } = stores;
  const audit = createAudit({
    relational,
    sealer,
    clock: systemClock,
    nameActors: async (tenant, ids) =>
      new Map([...(await nameObjects(tenant, ids)), ...(await identity.nameActors(tenant, ids))]),
    retentionDays: config.audit.retentionDays,
    prunes: config.server.roles.includes('evaluate'),
    dataDir: stores.dataDir.path,
    log,
  });
  const identity = createIdentity({
    relational,
    appendAudit: audit.appendAudit,
    sealer,
    clock: systemClock,
    config: toIdentityConfig(config),
    buildTag: config.buildTag,
    log,
  });
  return { audit, identity };
}

/** Calls each createX(deps) and ties the threads between slices: what one needs of another is a function here. */
export function createSlices({ config, stores, tls, log, connections }: ComposeDeps, procedures: () => ReadonlySet<string>) {
  const { relational, sealer } = stores;
  const clock = systemClock;
  const onSetAside: QuarantineDeps['onSetAside'] = (tenant, messages) => endpoint.noteSetAside(tenant, messages);
  const { bus, telemetry, ...measured } = composeSelfMetrics({ config, stores, procedures, onSetAside, log }, (quarantine) =>
    readCounts({ endpoint, results, ...otlpIn, otlpExport, quarantine, edges: connections?.edges ?? (() => ({})) }),
  );
  const works = config.server.roles.includes('evaluate');
  const reachable = findReachableAddress(config);
  const { audit, identity } = createPeople({ config, stores, log }, async (tenant, ids) => {
    const senders = await relational.withTenantSql(tenant, (sql) => nameTokens(sql, ids));
    return new Map([...(await fleet.nameObjects(tenant, ids)), ...senders]);
  });
  const { appendAudit } = audit;
  const cardinality = createCardinality({ relational, clock, log });
  const onStored = (tenant: TenantId, count: number) => endpoint.noteStored(tenant, count);
  const results = createResults({ bus, telemetry, clock, log, onStored, noteTargets: cardinality.noteTargets });
  const endpoint = createEndpoint({
    relational,
    bus: measured.diskShares.bus,
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
  const explorers = createExplorers({ config, stores, log }, cardinality.noteConnections);
  const otlpExport = composeExport({ config, bus, collectOwn: measured.selfMetrics.collect, relational, appendAudit, log });
  const rollUps = createSampleRollUps({ relational, series: telemetry.series, works, log });
  const otlp = composeOtlp({ config, bus, telemetry, relational, cardinality, log });
  const bounds = (connections?.plan ?? planConnections()).otlp;
  const { holdMs, warningOf } = otlp;
  const threads = { relational, bus: measured.diskShares.bus, holdMs, warningOf, appendAudit };
  const otlpIn = { cardinality, otlp, otlpReceiver: composeOtlpReceiver({ ...threads, config, bounds, tls, identity, log }) };
  // First: it times the routes that come after its own.
  return { ...measured, audit, identity, results, endpoint, fleet, releases, ...explorers, ...otlpIn, rollUps, otlpExport };
}

/** Slices that read the bus; the others begin wherever they are. */
const CONSUMERS: ReadonlySet<string> = new Set(['results', 'endpoint', 'otlp']);

const createRouter = ({
  audit,
  cardinality,
  identity,
  endpoint,
  fleet,
  logs,
  topology,
  metrics,
  traces,
  otlpReceiver,
  otlpExport,
  quarantine,
}: Product['slices']): AppRouter =>
  createAppRouter({
    audit: audit.procedures,
    cardinality: cardinality.procedures,
    identity: identity.procedures,
    endpoint: endpoint.procedures,
    fleet: fleet.procedures,
    otlpExport: otlpExport.procedures,
    logs: logs.procedures,
    topology: topology.procedures,
    metrics: metrics.procedures,
    otlp: otlpReceiver.procedures,
    traces: traces.procedures,
    bus: quarantine.procedures,
  });

/** The composition root: picks adapters, creates slices, mounts and drains all of them alike. */
export async function compose(deps: ComposeDeps): Promise<Product> {
  const { config, stores, tls, log } = deps;
  const plan = planEdges(log);
  const edges = () => ({ https: http.connections(), agents: grpc?.connections() });
  const slices = createSlices({ ...deps, connections: { plan, edges } }, () => new Set(Object.keys(router._def.procedures)));
  const { identity, fleet } = slices;
  const all: readonly Slice[] = Object.values(slices);
  const router = createRouter(slices);
  const serves = (role: Config['server']['roles'][number]) => config.server.roles.includes(role);
  const readiness: Readiness = { phase: 'starting' };
  const http = await createPublicEdge({ config, bounds: plan.https, tls, readiness, log });
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
    publicUrl: config.server.publicUrl,
    now: Date.now,
  });
  for (const slice of all) await slice.routes?.(http.app);
  if (serves('api')) {
    const { resolveRequest, cookieName: sessionCookie } = identity;
    await mountApi(http.app, {
      router,
      version: VERSION,
      publicUrl: config.publicUrl,
      sessionCookie,
      resolveRequest,
      edge: http,
    });
    await mountConsole(http.app, findConsole());
  }
  const grpc = serves('ingest')
    ? await createAgentEdge({ tls, bounds: plan.agents, trustedProxies: config.server.trustedProxies, log, fleet, slices: all })
    : undefined;
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
