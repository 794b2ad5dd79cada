import { Server, type ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { AGENT_PROTOCOL, PROTOCOL_METADATA } from '@svc/contracts/agent/version';
import type { FastifyBaseLogger } from 'fastify';
import { AGENT_BOUNDS, type ConnectionBounds, type ConnectionCounts } from '#connections';
import { AppError, type Clock, type GrpcMount, systemClock, type TenantId } from '#kernel';
import { createAgentCallRate } from './agent-call-rate.ts';
import { type AgentStream, createCallRegistry, type VerifiedAgent } from './grpc-calls.ts';
import { guardGrpc } from './grpc-connections.ts';
import { toGrpcError } from './grpc-status.ts';
import { createRenewableCredentials, type ListenerTls } from './listener-tls.ts';

/** Who may speak on the mounts of one kind, as `GrpcEdgeDeps` has it for agents. */
export interface Speakers {
  verify: (certificate: Buffer) => Promise<VerifiedAgent>;
  onUpgradeRequired?: (speaker: VerifiedAgent, protocol: number) => void;
  watchRevoked?: (onRevoked: (tenant: TenantId, id: string) => void) => void;
}

export interface GrpcEdgeDeps {
  /** PEM. `clientRoots` are the agents' root certificates: a client whose chain does not end there fails the handshake. */
  tls: ListenerTls & { clientRoots: string | Buffer };
  mounts: readonly GrpcMount[];
  /**
   * The agent of a client certificate (DER) whose chain TLS has checked; throws AppError for one that is not issued by its
   * tenant's intermediate, is expired, revoked or retired. Called for every stream, so it caches and re-checks revocation.
   */
  verifyAgent: (certificate: Buffer) => Promise<VerifiedAgent>;
  log: FastifyBaseLogger;
  /** The server's protocol version; injected so that tests can be two apart. */
  protocol?: number;
  /** Called for a known agent that is outside of the version window. */
  onUpgradeRequired?: (agent: VerifiedAgent, protocol: number) => void;
  /** Tells of agents that are not trusted any more; their open streams end at once. */
  watchRevoked?: (onRevoked: (tenant: TenantId, agentId: string) => void) => void;
  /** Of mounts for runners; without it there are none. */
  runners?: Speakers;
  clock?: Clock;
  connections?: ConnectionBounds;
  /** Addresses or networks behind which there are many agents. */
  trustedProxies?: readonly string[];
}

export interface GrpcEdge {
  /** Resolves with the bound port; rejects when the address cannot be taken. */
  listen(address: { host: string; port: number }): Promise<number>;
  /** Presents this certificate to whoever connects from now on. */
  setTls(tls: ListenerTls): void;
  /** Ends the streams whose certificate has expired; happens by itself each 30 s. */
  endExpired(): void;
  /** Streams open now. */
  openStreams(): number;
  connections(): ConnectionCounts;
  /** Takes no more calls, lets each stream answer what it has read, ends it; what is left after the deadline is cut. */
  drain(deadlineMs?: number): Promise<void>;
  /** Cuts what is open. */
  close(): Promise<void>;
}

// One batch of 1 MiB and room for its frame; the handler refuses what is over the batch's own bound with a reason.
const MAX_MESSAGE_BYTES = 1024 * 1024 + 64 * 1024;
const EXPIRY_SWEEP_MS = 30_000;
const DRAIN_LIMIT_MS = 10_000;

// An agent says something each 60 s by itself; pings only find the dead ones, seldom enough for thousands of idle connections.
const CHANNEL_OPTIONS = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.keepalive_time_ms': 150_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.max_connection_idle_ms': 300_000,
  'grpc.enable_channelz': 0,
};

type StreamHandler = (call: AgentStream) => void;

/** The protocol version of a call; refused when it is missing or more than one from the server's. */
function readProtocol(call: AgentStream): number {
  const [text] = call.metadata.get(PROTOCOL_METADATA);
  const version = Number(text);
  // Below 0 is older than the first: outside of the window like any other, and said so.
  if (text === undefined || !Number.isSafeInteger(version)) {
    throw new AppError('validation', `Every call needs the metadata ${PROTOCOL_METADATA}, a whole number.`);
  }
  return version;
}

interface Admission {
  isDraining(): boolean;
  register(stream: AgentStream, agent: VerifiedAgent): void;
}

/** Wraps handlers so that each stream is checked first: identity, then version window; a refusal is the stream's end. */
function createGuard(deps: GrpcEdgeDeps, admission: Admission): (handler: StreamHandler, speakers: Speakers) => StreamHandler {
  const serverProtocol = deps.protocol ?? AGENT_PROTOCOL;
  const countCall = createAgentCallRate((deps.clock ?? systemClock).now);
  const admit = async (call: AgentStream, { verify, onUpgradeRequired }: Speakers): Promise<VerifiedAgent> => {
    if (admission.isDraining())
      throw new AppError('unavailable', 'This server is shutting down. Reconnect.', { retryAfterSeconds: 1 });
    const certificate = call.getAuthContext().sslPeerCertificate?.raw;
    if (!certificate) throw new AppError('unauthorized', 'A client certificate is required.');
    const agent = await verify(certificate);
    countCall(agent);
    const protocol = readProtocol(call);
    if (Math.abs(protocol - serverProtocol) <= 1) return agent;
    onUpgradeRequired?.(agent, protocol);
    const older = protocol < serverProtocol ? 'agent' : 'server';
    const versions = `Agent protocol ${protocol} does not work with server protocol ${serverProtocol}`;
    throw new AppError('upgrade_required', `${versions}: update the ${older}.`);
  };
  return (handler, speakers) => (call) => {
    // A client that resets its stream is no fault of ours; without a listener it would end the process.
    call.on('error', () => {});
    admit(call, speakers)
      .then((agent) => {
        if (call.cancelled) return;
        admission.register(call, agent);
        handler(call);
      })
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) deps.log.error({ err: error }, 'an agent stream could not be opened');
        call.emit('error', toGrpcError(error));
      });
  };
}

function addGuarded(server: Server, mount: GrpcMount, guard: (handler: StreamHandler) => StreamHandler): void {
  const guarded: UntypedServiceImplementation = {};
  for (const [name, handler] of Object.entries(mount.implementation)) {
    guarded[name] = guard(handler as unknown as StreamHandler) as never;
  }
  server.addService(mount.definition as ServiceDefinition, guarded);
}

async function bind(server: Server, credentials: ServerCredentials, address: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, bound) => {
      if (error) reject(new Error(`The agents' listener cannot take ${address}: ${error.message}`, { cause: error }));
      else resolve(bound);
    });
  });
}

/** Those of a mount; of a kind that nobody verifies there is none. */
function speakersOf({ verifyAgent, onUpgradeRequired, runners }: GrpcEdgeDeps): (mount: GrpcMount) => Speakers {
  const agents: Speakers = { verify: verifyAgent, ...(onUpgradeRequired ? { onUpgradeRequired } : {}) };
  return ({ speakers }) => {
    if (speakers !== 'runners') return agents;
    if (!runners) throw new Error('a service for runners is mounted where nobody verifies them');
    return runners;
  };
}

/** The agents' listener: mutual TLS, identity and version window checked once for each stream, errors by the one table. */
export function createGrpcEdge(deps: GrpcEdgeDeps): GrpcEdge {
  const clock = deps.clock ?? systemClock;
  const server = new Server(CHANNEL_OPTIONS);
  const calls = createCallRegistry();
  const { credentials, setTls } = createRenewableCredentials(deps.tls);
  let draining = false;
  const connections = guardGrpc(server, {
    bounds: deps.connections ?? AGENT_BOUNDS,
    trustedProxies: deps.trustedProxies ?? [],
  });
  const register: Admission['register'] = (stream, agent) => {
    connections.admit(stream, agent);
    calls.add(stream, agent);
  };
  const guard = createGuard(deps, { isDraining: () => draining, register });
  const speakers = speakersOf(deps);
  for (const mount of deps.mounts) addGuarded(server, mount, (handler) => guard(handler, speakers(mount)));
  const refused = new AppError('forbidden', 'This agent was revoked or retired.');
  deps.watchRevoked?.((tenant, agentId) => calls.endAgent(tenant, agentId, refused));
  const removed = new AppError('forbidden', 'This runner was removed.');
  deps.runners?.watchRevoked?.((tenant, id) => calls.endAgent(tenant, id, removed));
  const expired = new AppError('unauthorized', 'The certificate has expired: renew it.');
  const endExpired = () => calls.endExpired(clock.now(), expired);
  const sweep = setInterval(endExpired, EXPIRY_SWEEP_MS);
  sweep.unref();

  return {
    listen: async ({ host, port }) =>
      await bind(server, credentials, host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`),
    setTls,
    endExpired,
    openStreams: calls.count,
    connections: connections.counts,
    async drain(deadlineMs = DRAIN_LIMIT_MS) {
      draining = true;
      clearInterval(sweep);
      const ended = Promise.withResolvers<void>();
      server.tryShutdown(() => ended.resolve());
      calls.drainAll();
      const limit = setTimeout(() => {
        server.forceShutdown();
        connections.close();
        ended.resolve();
      }, deadlineMs);
      await ended.promise.finally(() => clearTimeout(limit));
    },
    async close() {
      draining = true;
      clearInterval(sweep);
      server.forceShutdown();
      connections.close();
    },
  };
}
