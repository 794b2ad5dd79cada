import type { AgentStatus, BatchAck, ServerMessage } from '@svc/contracts/agent/messages';
import { AGENT_PROTOCOL } from '@svc/contracts/agent/version';
import { AgentError, messageOf } from '../agent-error.ts';
import type { Credentials } from '../identity/identity.ts';
import { type BackOffOptions, createBackOff, DEFAULT_BACK_OFF } from './back-off.ts';
import { type Connection, openConnection } from './connection.ts';
import type { Ending } from './ending.ts';
import type { OnSending } from './outgoing.ts';
import type { Spool } from './spool.ts';

/** What the faces show of the link. */
export interface LinkState {
  connected: boolean;
  /** Of the last ending, until the next connection is accepted. */
  problem: Exclude<Ending['kind'], 'stopped' | 'drained'> | 'untrusted' | null;
  message: string | null;
  /** Unix milliseconds. */
  since: number;
}

export interface LinkDeps {
  spool: Spool;
  /** A certificate that is valid now, renewed if it must be. Throws AgentError. */
  credentials(): Promise<Credentials>;
  /** The server did not take the certificate or does not know the agent: cure it if possible, else throw AgentError. */
  recover(ending: Ending): Promise<void>;
  status(): AgentStatus;
  /** This device's roots as PEM, read anew for each connection to a server that they prove; where it rejects or is left out, Node's own. */
  roots?(): Promise<readonly string[]>;
  /** True while nothing but the status may be sent; `wake` once it may again. */
  isHeld?(): boolean;
  /** The record as it may leave now, where that changed while it waited; default: as it is. */
  prepare?(record: Uint8Array): Uint8Array;
  onMessage(message: ServerMessage): void;
  /** Hears of each message in the order in which they leave. */
  onSending?: OnSending;
  onDelivered(records: readonly Uint8Array[], ack: BatchAck, bytes: Buffer): Promise<void>;
  onState(state: LinkState): void;
  now?: () => number;
  protocol?: number;
  /** Compresses what is sent; default true. */
  compress?: boolean;
  /** Results are gathered this long before they are sent. */
  lingerMs?: number;
  statusIntervalMs?: number;
  backOff?: BackOffOptions;
}

export interface Link {
  /** Something was appended to the spool; sent after the linger, or at once. */
  wake(at: 'linger' | 'now'): void;
  /** The status changed. */
  tell(): void;
  /** Tries again at once: the machine woke up, the network came back. */
  retryNow(): void;
  /** Ends the connection; what is not acknowledged stays in the spool. */
  stop(): Promise<void>;
}

function endingOfFailure(error: unknown): Ending {
  const message = messageOf(error);
  if (!(error instanceof AgentError)) return { kind: 'network', message };
  if (error.code === 'upgrade_required' || error.code === 'forbidden') return { kind: error.code, message };
  if (error.code === 'not_found') return { kind: 'unknown_agent', message };
  // An unsigned or foreign answer is not cured by asking often.
  if (error.code === 'unauthorized') return { kind: 'forbidden', message };
  return { kind: 'network', message };
}

/** A sleep that can be ended early. */
function createNap() {
  let timer: NodeJS.Timeout | undefined;
  let resolve: (() => void) | undefined;
  return {
    sleep: (ms: number): Promise<void> =>
      new Promise((done) => {
        resolve = done;
        timer = setTimeout(done, ms);
      }),
    wake(): void {
      clearTimeout(timer);
      resolve?.();
    },
  };
}

/** Gathers what comes within a while into one call. */
function createLinger(ms: number, act: () => void) {
  let timer: NodeJS.Timeout | undefined;
  const cancel = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const now = (): void => {
    cancel();
    act();
  };
  return {
    cancel,
    now,
    soon(): void {
      timer ??= setTimeout(now, ms);
    },
  };
}

/**
 * Keeps one connection to the control plane as long as it lives: connects, sends the spool in order, waits with jitter and tries
 * again. An outdated or revoked agent is not treated like a network fault: it asks about once an hour and says why.
 */
export function createLink(deps: LinkDeps): Link {
  const now = deps.now ?? Date.now;
  const backOff = createBackOff(deps.backOff ?? DEFAULT_BACK_OFF);
  let connection: Connection | undefined;
  let stopping = false;
  const nap = createNap();
  const linger = createLinger(deps.lingerMs ?? 5000, () => connection?.pump());
  const report = (state: Omit<LinkState, 'since'>): void => deps.onState({ ...state, since: now() });

  async function live(): Promise<Ending> {
    let accepted = false;
    const credentials = await deps.credentials();
    if (stopping) return { kind: 'stopped', message: 'stopped' };
    const roots = credentials.identity.grpcTrust === 'system' ? await deps.roots?.().catch(() => undefined) : undefined;
    if (stopping) return { kind: 'stopped', message: 'stopped' };
    await deps.spool.rewind();
    connection = openConnection(credentials, {
      roots,
      spool: deps.spool,
      status: deps.status,
      onMessage: deps.onMessage,
      onSending: deps.onSending,
      onDelivered: deps.onDelivered,
      isHeld: () => deps.isHeld?.() === true,
      prepare: (record) => deps.prepare?.(record) ?? record,
      onAccepted() {
        if (accepted) return;
        accepted = true;
        backOff.succeeded();
        report({ connected: true, problem: null, message: null });
      },
      protocol: deps.protocol ?? AGENT_PROTOCOL,
      compress: deps.compress ?? true,
      statusIntervalMs: deps.statusIntervalMs ?? 60_000,
    });
    const ending = await connection.ended;
    connection = undefined;
    return ending;
  }

  async function attempt(): Promise<Ending> {
    try {
      const ending = await live();
      if (ending.kind !== 'unauthorized' && ending.kind !== 'unknown_agent') return ending;
      await deps.recover(ending);
      // Cured as far as this side can tell: connect soon, yet never in a tight loop.
      return { kind: 'network', message: ending.message };
    } catch (error) {
      connection = undefined;
      return endingOfFailure(error);
    }
  }

  async function run(): Promise<void> {
    while (!stopping) {
      const ending = await attempt();
      if (stopping || ending.kind === 'stopped') return;
      if (ending.kind === 'drained') report({ connected: false, problem: null, message: ending.message });
      else report({ connected: false, problem: ending.kind, message: ending.message });
      await nap.sleep(backOff.delayMs(ending));
    }
  }
  const running = run();

  return {
    wake: (at) => (at === 'now' ? linger.now() : linger.soon()),
    tell: () => connection?.tell(),
    retryNow: () => nap.wake(),
    async stop() {
      stopping = true;
      linger.cancel();
      connection?.stop();
      nap.wake();
      await running;
    },
  };
}
