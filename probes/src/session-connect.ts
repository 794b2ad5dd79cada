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

interface Try {
  family: 4 | 6;
  atMs: number;
  error?: string;
}

/** One socket of the race. */
function connectOne({ address, family }: HostAddress, port: number): net.Socket {
  const socket = net.connect({ host: address, port, family, noDelay: true, autoSelectFamily: false });
  // A socket that lost, or is let go of, fails without anybody's interest.
  socket.on('error', () => undefined);
  return socket;
}

/**
 * Connects to the first address that answers; each later one starts when the one before it failed, or after a head start, and none is
 * given up meanwhile (RFC 8305): Node's own race ends a try after that time, and so reaches nothing over a line that is slower. Tells of
 * every try. Resolves also where none did.
 */
export async function connectTo(port: number, addresses: HostAddress[], signal: AbortSignal): Promise<Connection> {
  const startedMs = performance.now();
  const tries: Try[] = [];
  const sockets: net.Socket[] = [];
  try {
    const won = await race({ port, addresses, signal, startedMs, tries, sockets });
    for (const other of sockets) if (other !== won) other.destroy();
    const family = won.remoteFamily === 'IPv6' ? 6 : 4;
    return { socket: won, connectMs: performance.now() - startedMs, family, attempts: tries.map(withoutLosers(won, sockets)) };
  } catch (error) {
    const code = error instanceof SessionFailure ? error.code : codeOf(error);
    for (const socket of sockets) socket.destroy();
    return { socket: undefined, error: code, attempts: tries.map((one) => ({ ...one, error: one.error ?? code })) };
  }
}

/** A try that was under way when another won is told as one that took too long. */
const withoutLosers =
  (won: net.Socket, sockets: readonly net.Socket[]) =>
  (one: Try, index: number): ConnectAttempt =>
    sockets[index] === won || one.error !== undefined ? one : { ...one, error: 'ETIMEDOUT' };

interface Race {
  port: number;
  addresses: readonly HostAddress[];
  signal: AbortSignal;
  startedMs: number;
  tries: Try[];
  sockets: net.Socket[];
}

function race({ port, addresses, signal, startedMs, tries, sockets }: Race): Promise<net.Socket> {
  let timer: NodeJS.Timeout | undefined;
  const over = runPhase<net.Socket>('connect', signal, ({ done, fail }) => {
    let failed = 0;
    const startNext = (): void => {
      clearTimeout(timer);
      const address = addresses[sockets.length];
      if (!address) return;
      const socket = connectOne(address, port);
      const mine: Try = { family: address.family === 6 ? 6 : 4, atMs: performance.now() - startedMs };
      tries.push(mine);
      sockets.push(socket);
      socket.once('connect', () => done(socket));
      socket.once('error', (error) => {
        mine.error = codeOf(error);
        failed += 1;
        if (failed === addresses.length) fail(error);
        else startNext();
      });
      if (sockets.length < addresses.length) timer = setTimeout(startNext, ATTEMPT_DELAY_MS);
    };
    startNext();
    if (addresses.length === 0) fail(new Error('a name without addresses'));
    return () => undefined;
  });
  return over.finally(() => clearTimeout(timer));
}
