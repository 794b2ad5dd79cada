import dns from 'node:dns/promises';
import net from 'node:net';
import { codeOf, runPhase, SessionFailure } from './session-failure.ts';
import { withLimit } from './time-limit.ts';

/** Head start of one address before the next is tried beside it (RFC 8305). */
const ATTEMPT_DELAY_MS = 250;
/** Only the signal's limit ends a look-up; this bounds the timer. */
const LOOKUP_LIMIT_MS = 120_000;
const MAX_ADDRESSES = 16;

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** One try of happy eyeballs. */
export interface ConnectAttempt {
  readonly family: 4 | 6;
  /** Since the connect phase began. */
  readonly atMs: number;
  /** Code of the failure; absent on the one that won. */
  readonly error?: string;
}

/** The system's resolver, in its own order. `dnsMs` is null for a numeric host. */
export async function resolveHost(
  host: string,
  signal: AbortSignal,
): Promise<{ dnsMs: number | null; addresses: HostAddress[] }> {
  const numeric = host.replace(/^\[|\]$/g, '');
  const family = net.isIP(numeric);
  if (family !== 0) return { dnsMs: null, addresses: [{ address: numeric, family }] };
  const startedMs = performance.now();
  try {
    const found = await withLimit(dns.lookup(host, { all: true, order: 'verbatim' }), LOOKUP_LIMIT_MS, signal);
    return { dnsMs: performance.now() - startedMs, addresses: found.slice(0, MAX_ADDRESSES) };
  } catch (error) {
    throw new SessionFailure('dns', codeOf(error));
  }
}

export type Connection = { readonly attempts: readonly ConnectAttempt[] } & (
  | { readonly socket: net.Socket; readonly connectMs: number; readonly family: 4 | 6 }
  | { readonly socket: undefined; readonly error: string }
);

/** Connects to the first address that answers, IPv6 and IPv4 racing; tells of every try. Resolves also where none did. */
export async function connectTo(port: number, addresses: HostAddress[], signal: AbortSignal): Promise<Connection> {
  const startedMs = performance.now();
  const tries = new Map<string, { family: 4 | 6; atMs: number; error?: string }>();
  const socket = net.connect({
    host: addresses[0]?.address ?? '',
    port,
    noDelay: true,
    autoSelectFamily: addresses.length > 1,
    autoSelectFamilyAttemptTimeout: ATTEMPT_DELAY_MS,
    lookup: (_host, options, answer) => {
      const first = addresses[0];
      if (options.all) process.nextTick(answer, null, addresses);
      else process.nextTick(answer, null, first?.address, first?.family);
    },
    // A name that is none makes the socket ask the look-up above, which knows the addresses already.
    ...(addresses.length > 1 ? { host: 'resolved.invalid' } : {}),
  });
  socket.on('error', () => undefined);
  socket.on('connectionAttempt', (ip: string, _port: number, family: number) => {
    tries.set(ip, { family: family === 6 ? 6 : 4, atMs: performance.now() - startedMs });
  });
  const markFailed = (ip: string, code: string): void => {
    const found = tries.get(ip);
    if (found) found.error = code;
  };
  socket.on('connectionAttemptFailed', (...[ip, , , error]: [string, number, number, Error]) => markFailed(ip, codeOf(error)));
  socket.on('connectionAttemptTimeout', (ip: string) => markFailed(ip, 'ETIMEDOUT'));
  try {
    const connectMs = await awaitConnect(socket, startedMs, signal);
    return { socket, connectMs, family: socket.remoteFamily === 'IPv6' ? 6 : 4, attempts: [...tries.values()] };
  } catch (error) {
    const code = error instanceof SessionFailure ? error.code : codeOf(error);
    socket.destroy();
    return { socket: undefined, error: code, attempts: [...tries.values()].map((one) => ({ ...one, error: one.error ?? code })) };
  }
}

function awaitConnect(socket: net.Socket, startedMs: number, signal: AbortSignal): Promise<number> {
  return runPhase('connect', signal, ({ done, fail }) => {
    socket.once('connect', () => done(performance.now() - startedMs));
    socket.once('error', fail);
    return () => socket.destroy();
  });
}
