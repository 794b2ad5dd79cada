import type { FastifyBaseLogger } from 'fastify';
import { type ConnectionBounds, type ConnectionPlan, planConnections } from '#connections';
import { createGrpcEdge, createHttpEdge, type GrpcEdge, type HttpEdge, type Readiness } from '#edge';
import { AppError, formatHostPort, type Health, type Slice } from '#kernel';
import type { Config } from '../config.ts';
import type { ServerTls } from '../process/local-tls.ts';
import type { Slices } from './slices.ts';
import type { Stores } from './stores.ts';

/** What a readiness probe asks: the stores first, then each slice that has something to say. */
export async function checkAll(stores: Stores, slices: readonly Slice[], tls: Promise<Health>): Promise<Record<string, Health>> {
  const checks: [string, Promise<Health>][] = [
    ['tls', tls],
    ['relational', stores.relational.health()],
    ['telemetry', stores.telemetry.health()],
    ['bus', stores.bus.health()],
    ...slices.flatMap((slice): [string, Promise<Health>][] => (slice.health ? [[slice.name, slice.health()]] : [])),
  ];
  const settled = await Promise.all(
    checks.map(
      async ([name, check]): Promise<[string, Health]> => [
        name,
        await check.catch(
          (error: unknown): Health => ({ status: 'failed', detail: error instanceof Error ? error.message : String(error) }),
        ),
      ],
    ),
  );
  return Object.fromEntries(settled);
}

/** Listens and gives the port; one that is taken is named with its key. */
export async function listenAt(
  edge: Pick<HttpEdge, 'listen'>,
  key: string,
  address: { host: string; port: number },
): Promise<number> {
  try {
    return await edge.listen(address);
  } catch (cause) {
    // grpc-js tells in words alone that it got no address: the one reason seen for it is a taken port.
    const code = Reflect.get(Object(cause), 'code') ?? (/No address added/.test(String(cause)) ? 'EADDRINUSE' : undefined);
    const reason = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${code ?? 'unknown fault'})`;
    throw new AppError(
      'unavailable',
      `${formatHostPort(address)} ${reason}: stop that program or set ${key} to another address.`,
      { cause },
    );
  }
}

/** What the listeners of this process hold at most, in its log as well. */
export function planEdges(log: FastifyBaseLogger): ConnectionPlan {
  const plan = planConnections();
  const { https, agents, otlp, descriptors } = plan;
  const connections = { https: https.total, agents: agents.total, 'otlp-grpc': otlp.total, 'otlp-http': otlp.total };
  log.info({ connections, descriptors }, 'connections are bounded');
  return plan;
}

interface PublicEdgeDeps {
  config: Pick<Config, 'server'>;
  bounds: ConnectionBounds;
  tls: ServerTls;
  readiness: Readiness;
  log: FastifyBaseLogger;
}

/** The listener of console, API and enrolment. */
export const createPublicEdge = async ({ config, bounds, tls, readiness, log }: PublicEdgeDeps): Promise<HttpEdge> =>
  await createHttpEdge({
    tls: { key: tls.key, cert: tls.cert },
    log,
    trustedProxies: config.server.trustedProxies,
    ratePerMinute: config.server.apiRatePerMin,
    readiness,
    connections: bounds,
  });

interface AgentEdgeDeps {
  bounds: ConnectionBounds;
  trustedProxies: readonly string[];
  tls: ServerTls;
  slices: Slices;
  log: FastifyBaseLogger;
}

/** The listener of the agents and of runners, which asks fleet and runners who may speak. */
export async function createAgentEdge(deps: AgentEdgeDeps): Promise<GrpcEdge> {
  const { tls, bounds, trustedProxies, slices, log } = deps;
  const { fleet, runners } = slices;
  return createGrpcEdge({
    tls: { key: tls.key, cert: tls.cert, clientRoots: await fleet.agentRootCertificate() },
    mounts: Object.values<Slice>(slices).flatMap((slice) => slice.grpc ?? []),
    verifyAgent: fleet.verifyAgent,
    watchRevoked: fleet.watchRevoked,
    onUpgradeRequired: (agent) => fleet.noteUpgradeRequired(agent),
    runners: runners.speakers,
    connections: bounds,
    trustedProxies,
    log,
  });
}
