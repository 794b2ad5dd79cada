import net from 'node:net';
import { type ConnectAttempt, connectTo } from '../../session-connect.ts';
import { codeOf } from '../../session-failure.ts';
import type { Run } from '../run.ts';
import { beginPhase, endPhase, inPhase } from '../run.ts';
import { RunFailure } from '../run-failure.ts';
import type { TargetGuard } from '../safety/target-guard.ts';
import { lookUp } from './look-up.ts';

const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);
const DENIED = new Set(['EACCES', 'EPERM']);
const UNROUTABLE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT']);
/** The runner's own shortage: nothing is known of the target. */
const SHORTAGE = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

export interface Destination {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly family: 0 | 4 | 6;
  /** In place of the run's: for the runner's own name servers, which may be anywhere. */
  readonly guard?: TargetGuard;
}

export const authorityOf = (address: string, port: number): string =>
  net.isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;

/** What a failure to connect or to send means. */
export function connectFailure(code: string, where: string): RunFailure {
  if (code === 'ECONNREFUSED')
    return new RunFailure('refused', `${where} refuses the connection: nothing listens there, or a firewall says so.`);
  if (CLOSED.has(code)) return new RunFailure('reset', `${where} broke the connection off while it was made (${code}).`);
  if (DENIED.has(code))
    return new RunFailure('unroutable', `The runner's own machine forbids connections to ${where} (${code}).`);
  if (UNROUTABLE.has(code)) return new RunFailure('unroutable', `There is no way from the runner to ${where} (${code}).`);
  if (SHORTAGE.has(code)) return new RunFailure('internal', `The runner's machine is short of resources (${code}).`);
  return new RunFailure('no_answer', `${where} does not answer (${code}).`);
}

/** Addresses of a host that may be dialled; asked for once, so that nothing else can be dialled than what was checked. */
export async function findAddresses(
  run: Run,
  { host, family, guard = run.tools.guard }: Omit<Destination, 'port'>,
): Promise<string[]> {
  const numeric = net.isIP(host);
  if (numeric !== 0 && family !== 0 && family !== numeric)
    throw new RunFailure('name_not_found', `${host} is no IPv${family} address, which is what the test asks for.`);
  const { resolvers } = run.tools;
  const addresses =
    numeric !== 0
      ? [host]
      : await inPhase(run, 'dns', () => lookUp({ host, family, ...(resolvers ? { resolvers } : {}) }, run.signal));
  const refusals = addresses.map((address) => guard.refuse(address, host));
  const permitted = addresses.filter((_, i) => refusals[i] === undefined);
  if (permitted.length > 0) return permitted;
  const why = refusals[0]?.message ?? `${host} has no address.`;
  throw new RunFailure('target_refused', numeric === 0 ? `${host} is at an address that is refused: ${why}` : why);
}

/** The address of which the failure of all of them tells: the last one to fail is not the last one that was tried. */
export const addressThatFailed = (
  addresses: readonly string[],
  attempts: readonly ConnectAttempt[],
  code: string,
): string | undefined => addresses[attempts.findLastIndex(({ error }) => error === code)] ?? addresses.at(-1);

/** Connects to the first address that answers and may be reached (RFC 8305). Whoever gets the socket destroys it. */
export async function dial(run: Run, destination: Destination): Promise<net.Socket> {
  const { host, port, guard = run.tools.guard } = destination;
  const addresses = await findAddresses(run, destination);
  run.port = port;
  run.address = addresses[0];
  beginPhase(run, 'connect');
  const candidates = addresses.map((address) => ({ address, family: net.isIP(address) }));
  const connection = await connectTo(port, candidates, run.signal);
  run.signal.throwIfAborted();
  if (!connection.socket) {
    const { error, attempts } = connection;
    throw connectFailure(error, authorityOf(addressThatFailed(addresses, attempts, error) ?? host, port));
  }
  const { socket } = connection;
  if (socket.remoteAddress === undefined)
    throw new RunFailure('closed', `${authorityOf(run.address ?? host, port)} closed the connection at once.`);
  const refusal = guard.refuse(socket.remoteAddress, host);
  if (refusal) {
    socket.destroy();
    throw new RunFailure('target_refused', refusal.message);
  }
  endPhase(run);
  run.address = socket.remoteAddress;
  run.figures['ip.version'] = net.isIPv6(socket.remoteAddress) ? 6 : 4;
  return socket;
}

/** What ended a connection that stood. */
export function brokenFailure(error: unknown, doing: string): RunFailure {
  if (error instanceof RunFailure) return error;
  const code = codeOf(error);
  // Node gives the same code to a connection that was closed early and to one that was reset; only the second one is the system's.
  const isSystems = error instanceof Error && 'syscall' in error;
  if (CLOSED.has(code) && isSystems) return new RunFailure('reset', `The connection was reset while ${doing}.`, { cause: error });
  if (CLOSED.has(code)) return new RunFailure('closed', `The other side closed the connection while ${doing}.`, { cause: error });
  if (code === 'ETIMEDOUT' || UNROUTABLE.has(code))
    return new RunFailure('no_answer', `The connection was lost while ${doing} (${code}).`, { cause: error });
  if (code.startsWith('ERR_SSL')) return new RunFailure('tls', `TLS failed while ${doing} (${code}).`, { cause: error });
  return new RunFailure('protocol', `The connection failed while ${doing} (${code}).`, { cause: error });
}
