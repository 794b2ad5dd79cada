import { randomBytes, randomInt } from 'node:crypto';
import dgram from 'node:dgram';
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { classifyAddress } from './address-class.ts';
import { type DnsAnswer, encodeName, encodeQuery, parseResponse } from './dns-message.ts';
import { medianOf, summariseRoundTrips } from './round-trips.ts';
import { codeOf } from './session-failure.ts';
import { withLimit } from './time-limit.ts';

const DEFAULTS = { port: 53, count: 3, intervalMs: 100, timeoutMs: 2000 } as const;
const MAX_COUNT = 25;
const ANSWERED = new Set(['NOERROR', 'NXDOMAIN']);
/** RFC 6761: no such name exists or ever will, so that whoever finds it makes answers up. */
const RESERVED = '.invalid';

export interface ResolverRequest {
  /** Numeric address of the DNS server. */
  readonly server: string;
  /** Default 53. */
  readonly port?: number;
  /** Asked for in turn, at least one; any answer of the server is a success, also that there is no such name. */
  readonly names: readonly string[];
  /** Queries, 1 to 25, default 3; at least one for each name. */
  readonly count?: number;
  /** From the sending of one to the sending of the next: a slow answer delays no other query. */
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  /** One more query, for a random name that cannot exist. */
  readonly asksInvalid?: boolean;
  readonly signal?: AbortSignal;
}

/** The last answer for one name. Its addresses stay in memory. */
export interface ResolverAnswer {
  readonly name: string;
  /** Null: none. */
  readonly code: string | null;
  readonly addresses: readonly string[];
}

/**
 * How a resolver is known to answer wrongly. `wildcard`: it finds a name that cannot exist; `nxdomain` and `private`: it denies a
 * name, or gives a private address, where another server of this device gives a public one.
 */
export type ResolverLie = 'nxdomain' | 'wildcard' | 'private';

export interface ResolverMeasurement {
  readonly server: string;
  readonly isPrivate: boolean;
  /** At least one answer that is not a server failure. */
  readonly success: boolean;
  readonly sent: number;
  readonly lost: number;
  readonly lossRatio: number;
  readonly rttsMs: readonly number[];
  readonly rttAvgMs: number | null;
  readonly rttMedianMs: number | null;
  /** DNS response code of the last answer, such as NOERROR, NXDOMAIN, SERVFAIL. */
  readonly responseCode: string | null;
  readonly error?: string;
  readonly answers: readonly ResolverAnswer[];
  /** Addresses that it found for the name that cannot exist; null where it was not asked or did not answer. */
  readonly invalidAddresses: readonly string[] | null;
  /** Of this server alone only `wildcard` is known: see `compareResolvers`. */
  readonly lies: ResolverLie | null;
}

/** Asks over UDP. Rejects with a RangeError on bad input, with the signal's reason when aborted. */
export type MeasureResolver = (request: ResolverRequest) => Promise<ResolverMeasurement>;

export const measureResolver: MeasureResolver = async (request) => {
  const { server, port = DEFAULTS.port, timeoutMs = DEFAULTS.timeoutMs, signal } = request;
  const names = namesOf(request);
  const ends = { server, port, timeoutMs, ...(signal ? { signal } : {}) };
  const askLater = async (name: string, turn: number): Promise<Try> => {
    const waitMs = turn * (request.intervalMs ?? DEFAULTS.intervalMs);
    if (waitMs > 0) await setTimeout(waitMs, undefined, signal ? { signal } : {}).catch(() => undefined);
    signal?.throwIfAborted();
    return await ask({ ...ends, query: encodeQuery(randomInt(0x10000), name) });
  };
  const all = await Promise.all(names.map(askLater));
  const tries = request.asksInvalid ? all.slice(0, -1) : all;
  const invalid = request.asksInvalid ? all.at(-1) : undefined;
  const invalidAddresses = invalid && 'addresses' in invalid ? invalid.addresses : null;
  return {
    server,
    isPrivate: classifyAddress(server) === 'private',
    ...summariseTries(tries),
    answers: answersOf(names.slice(0, tries.length), tries),
    invalidAddresses,
    lies: invalidAddresses !== null && invalidAddresses.length > 0 ? 'wildcard' : null,
  };
};

/** One name for each query, checked: what cannot be asked is refused before anything is sent. */
function namesOf({ server, names, count = DEFAULTS.count, asksInvalid }: ResolverRequest): string[] {
  if (net.isIP(server) === 0) throw new RangeError(`not a numeric IP address: ${server.slice(0, 64)}`);
  if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT) throw new RangeError(`count must be 1 to ${MAX_COUNT}`);
  if (names.length < 1 || names.length > MAX_COUNT) throw new RangeError(`names must be 1 to ${MAX_COUNT}`);
  for (const name of names) encodeName(name);
  const asked = Array.from({ length: Math.max(count, names.length) }, (_, turn) => names[turn % names.length] ?? '');
  return asksInvalid ? [...asked, `${randomBytes(8).toString('hex')}${RESERVED}`] : asked;
}

function summariseTries(tries: readonly Try[]) {
  const rttsMs = tries.flatMap((one) => ('rttMs' in one ? one.rttMs : []));
  const codes = tries.flatMap((one) => ('code' in one ? one.code : []));
  const error = tries.findLast((one) => 'error' in one)?.error;
  const lost = tries.length - rttsMs.length;
  return {
    success: codes.some((code) => ANSWERED.has(code)),
    sent: tries.length,
    lost,
    lossRatio: lost / tries.length,
    rttsMs,
    rttAvgMs: summariseRoundTrips(rttsMs).rttAvgMs,
    rttMedianMs: medianOf(rttsMs),
    responseCode: codes.at(-1) ?? null,
    ...(error === undefined ? {} : { error }),
  };
}

function answersOf(names: readonly string[], tries: readonly Try[]): ResolverAnswer[] {
  const last = new Map<string, ResolverAnswer>();
  names.forEach((name, turn) => {
    const tried = tries[turn];
    if (tried && 'code' in tried) last.set(name, { name, code: tried.code, addresses: tried.addresses });
    else if (!last.has(name)) last.set(name, { name, code: null, addresses: [] });
  });
  return [...last.values()];
}

type Try = ({ rttMs: number; error?: undefined } & DnsAnswer) | { error: string };

interface Question {
  readonly server: string;
  readonly port: number;
  readonly query: Buffer;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

async function ask({ server, port, query, timeoutMs, signal }: Question): Promise<Try> {
  const socket = dgram.createSocket(net.isIPv6(server) ? 'udp6' : 'udp4');
  try {
    const answer = new Promise<Try>((resolve, reject) => {
      let startedMs = 0;
      socket.on('error', reject);
      socket.on('message', (bytes) => {
        const answered = parseResponse(query, bytes);
        if (answered) resolve({ rttMs: performance.now() - startedMs, ...answered });
      });
      // Connected: only this server is heard, and "port unreachable" arrives as an error.
      socket.connect(port, server, () => {
        startedMs = performance.now();
        socket.send(query, (error) => error && reject(error));
      });
    });
    return await withLimit(answer, timeoutMs, signal);
  } catch (error) {
    signal?.throwIfAborted();
    return { error: codeOf(error) };
  } finally {
    socket.close();
  }
}
