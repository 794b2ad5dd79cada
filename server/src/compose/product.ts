import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { mountApi } from '#api';
import { type GrpcEdge, type HttpEdge, mountConsole, mountHealth, type Readiness } from '#edge';
import { type HasRole, type Slice, startSlices, systemClock } from '#kernel';
import { createOutbound } from '#outbound';
import type { Config } from '../config.ts';
import { VERSION } from '../process/build-info.ts';
import { findConsole } from '../process/installation.ts';
import { openServerTls, type ServerTls } from '../process/local-tls.ts';
import { createTlsRenewal } from '../process/tls-renewal.ts';
import { type AppRouter, createAppRouter } from './app-router.ts';
import { checkAll, createAgentEdge, createPublicEdge, listenAt, planEdges } from './edges.ts';
import { createSlices, type Slices } from './slices.ts';
import type { Stores } from './stores.ts';

export interface Product {
  slices: Slices;
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

const openOutbound = ({ config: { outbound }, log }: Pick<ComposeDeps, 'config' | 'log'>) =>
  createOutbound({
    allow: outbound.allow,
    ca: outbound.caFile === undefined ? undefined : readFileSync(outbound.caFile, 'utf8'),
    proxy: outbound.proxy?.reveal(),
    log,
  });

/** The composition root: picks adapters, creates slices, mounts and drains all of them alike. */
export async function compose(deps: ComposeDeps): Promise<Product> {
  const { config, stores, tls, log } = deps;
  const plan = planEdges(log);
  const slices = createSlices({
    ...deps,
    plan,
    outbound: openOutbound(deps),
    openConnections: () => ({ https: http.connections(), agents: grpc?.connections() }),
    procedures: () => new Set(Object.keys(router._def.procedures)),
  });
  const all: readonly Slice[] = Object.values(slices);
  const router = createAppRouter(slices);
  const hasRole: HasRole = (role) => config.server.roles.includes(role);
  const readiness: Readiness = { phase: 'starting' };
  const http = await createPublicEdge({ config, bounds: plan.https, tls, readiness, log });
  const renewal = createTlsRenewal({
    tls,
    reopen: () => openServerTls(config.tls, stores.dataDir),
    present: (next) => {
      http.setTls(next);
      grpc?.setTls(next);
      slices.otlp.setSharedTls(next);
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
  if (hasRole('api')) {
    const { resolveRequest, cookieName: sessionCookie } = slices.identity;
    const { publicUrl } = config;
    const faces = [slices.mcp.face];
    await mountApi(http.app, { router, version: VERSION, publicUrl, sessionCookie, resolveRequest, edge: http, faces });
    await mountConsole(http.app, findConsole());
  }
  const grpc = hasRole('ingest')
    ? await createAgentEdge({ tls, bounds: plan.agents, trustedProxies: config.server.trustedProxies, log, slices })
    : undefined;
  return {
    slices,
    router,
    http,
    grpc,
    readiness,
    async start() {
      await startSlices(all, hasRole);
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
