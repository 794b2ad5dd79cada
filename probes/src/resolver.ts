import { randomInt } from 'node:crypto';
import dgram from 'node:dgram';
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { classifyAddress } from './address-class.ts';
import { encodeQuery, parseResponse } from './dns-message.ts';
import { summariseRoundTrips } from './round-trips.ts';
import { codeOf } from './session-failure.ts';
import { withLimit } from './time-limit.ts';

const DEFAULTS = { port: 53, count: 3, intervalMs: 100, timeoutMs: 2000 } as const;
const MAX_COUNT = 25;
const ANSWERED = new Set(['NOERROR', 'NXDOMAIN']);

export interface ResolverRequest {
  /** Numeric address of the DNS server. */
  readonly server: string;
  /** Default 53. */
  readonly port?: number;
  /** The name asked for; any answer of the server is a success, also that there is no such name. */
  readonly name: string;
  /** Queries, 1 to 25, default 3. */
  readonly count?: number;
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

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
  /** DNS response code of the last answer, such as NOERROR, NXDOMAIN, SERVFAIL. */
  readonly responseCode: string | null;
  readonly error?: string;
}

/** Asks over UDP. Rejects with a RangeError on bad input, with the signal's reason when aborted. */
export type MeasureResolver = (request: ResolverRequest) => Promise<ResolverMeasurement>;

export const measureResolver: MeasureResolver = async (request) => {
  const { server, port = DEFAULTS.port, name, count = DEFAULTS.count, timeoutMs = DEFAULTS.timeoutMs, signal } = request;
  if (net.isIP(server) === 0) throw new RangeError(`not a numeric IP address: ${server.slice(0, 64)}`);
  if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT) throw new RangeError(`count must be 1 to ${MAX_COUNT}`);
  const tries: Try[] = [];
  for (let i = 0; i < count; i += 1) {
    if (i > 0)
      await setTimeout(request.intervalMs ?? DEFAULTS.intervalMs, undefined, signal ? { signal } : {}).catch(() => undefined);
    signal?.throwIfAborted();
    const query = encodeQuery(randomInt(0x10000), name);
    tries.push(await ask({ server, port, query, timeoutMs, ...(signal ? { signal } : {}) }));
  }
  const rttsMs = tries.flatMap((one) => ('rttMs' in one ? one.rttMs : []));
  const codes = tries.flatMap((one) => ('responseCode' in one ? one.responseCode : []));
  const error = tries.findLast((one) => 'error' in one)?.error;
  const lost = count - rttsMs.length;
  return {
    server,
    isPrivate: classifyAddress(server) === 'private',
    success: codes.some((code) => ANSWERED.has(code)),
    sent: count,
    lost,
    lossRatio: lost / count,
    rttsMs,
    rttAvgMs: summariseRoundTrips(rttsMs).rttAvgMs,
    responseCode: codes.at(-1) ?? null,
    ...(error === undefined ? {} : { error }),
  };
};

type Try = { rttMs: number; responseCode: string; error?: undefined } | { error: string };

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
        const responseCode = parseResponse(query, bytes);
        if (responseCode !== undefined) resolve({ rttMs: performance.now() - startedMs, responseCode });
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
