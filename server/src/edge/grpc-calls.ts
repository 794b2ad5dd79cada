import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { type AgentIdentity, AppError, type TenantId } from '#kernel';
import { toGrpcError } from './grpc-status.ts';

/** A stream of an agent, of whatever messages. */
export type AgentStream = ServerDuplexStream<unknown, unknown>;

/** Who speaks on a stream, and when it must come to its end. */
export interface AgentCall {
  agent: VerifiedAgent;
  /** Aborted when the listener drains: finish what was read, answer it, then end the stream. */
  draining: AbortSignal;
}

/** The verified agent with the end of its certificate; an open stream ends with it. */
export interface VerifiedAgent extends AgentIdentity {
  /** Unix milliseconds. */
  notAfterMs: number;
}

const identities = new WeakMap<object, AgentCall>();

/** The agent behind a stream that the gRPC edge handed to a feature; throws for any other object. */
export function agentOf(call: object): AgentCall {
  const found = identities.get(call);
  if (!found) throw new Error('this stream did not come through the gRPC edge');
  return found;
}

/** Of grpc-js, pinned: link-test.int.test.ts holds what is used here. */
interface InsideCall {
  call?: { stream?: ServerHttp2Stream };
}

/** What HTTP/2 lets be on its way where nobody says otherwise. */
const USUAL_WINDOW = 65_535;
/** Streams for which a connection is wide now. */
const wide = new WeakMap<ServerHttp2Session, number>();

function setWindow(session: ServerHttp2Session, bytes: number): void {
  if (session.destroyed) return;
  session.setLocalWindowSize(bytes);
  session.settings({ initialWindowSize: bytes });
}

/**
 * Lets so many bytes be on their way to the server on the connection of this stream, instead of 64 KiB: with those a line of some speed
 * is never full. For streams that bound what they take. What is given back narrows it again, once no other stream needs it: other
 * streams of the connection bound nothing.
 */
export function widenWindow(call: AgentStream, bytes: number): () => void {
  const session = (call as unknown as InsideCall).call?.stream?.session as ServerHttp2Session | undefined;
  if (!session) return () => undefined;
  wide.set(session, (wide.get(session) ?? 0) + 1);
  setWindow(session, bytes);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    const left = (wide.get(session) ?? 1) - 1;
    wide.set(session, left);
    if (left === 0) setWindow(session, USUAL_WINDOW);
  };
}

interface OpenCall {
  stream: AgentStream;
  agent: VerifiedAgent;
  drain: AbortController;
}

/** The streams that are open now, by agent, one of each method (a new one ends the one before): what a revocation, the end of a certificate or a drain must reach. */
export function createCallRegistry() {
  const byAgent = new Map<string, Set<OpenCall>>();
  const keyOf = (tenant: TenantId, agentId: string) => `${tenant}/${agentId}`;
  let open = 0;

  const remove = (key: string, call: OpenCall) => {
    const calls = byAgent.get(key);
    if (!calls?.delete(call)) return;
    open -= 1;
    if (calls.size === 0) byAgent.delete(key);
  };

  const replaced = new AppError('conflict', 'This agent has opened a newer stream; this one ends.');
  const end = (call: OpenCall, error: AppError) => call.stream.emit('error', toGrpcError(error));

  return {
    add(stream: AgentStream, agent: VerifiedAgent): void {
      const call: OpenCall = { stream, agent, drain: new AbortController() };
      const key = keyOf(agent.tenant, agent.agentId);
      const calls = byAgent.get(key) ?? new Set();
      for (const former of calls) if (former.stream.getPath() === stream.getPath()) end(former, replaced);
      byAgent.set(key, calls.add(call));
      open += 1;
      identities.set(stream, { agent, draining: call.drain.signal });
      for (const event of ['cancelled', 'finish', 'close']) stream.once(event, () => remove(key, call));
    },
    count: () => open,
    endAgent(tenant: TenantId, agentId: string, error: AppError): void {
      for (const call of byAgent.get(keyOf(tenant, agentId)) ?? []) end(call, error);
    },
    endExpired(nowMs: number, error: AppError): void {
      for (const calls of byAgent.values()) for (const call of calls) if (call.agent.notAfterMs <= nowMs) end(call, error);
    },
    drainAll(): void {
      for (const calls of byAgent.values()) for (const call of calls) call.drain.abort();
    },
  };
}
