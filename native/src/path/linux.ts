import type { UnavailableCode } from '@svc/contracts/verdict';
import { familyOf } from '../ffi/address.ts';
import { SystemCallError } from '../ffi/libc.ts';
import { findRoute } from '../gateway/linux.ts';
import { measured, type Reading, readingValue, unavailable } from '../reading.ts';
import { boundedWhole } from './bounds.ts';
import type { GatewayPingRequest, PingGateway, PingReading, ProbeMethod, TracePath, TraceRequest } from './path.ts';
import { openProbeRun, type ProbeRun, type ProbeRunOptions } from './probe-run.ts';
import { tryIcmp } from './probe-socket.ts';
import { summariseHops } from './summarise.ts';
import { endOf, runRounds } from './trace-rounds.ts';

/** Burst and pace that a router allows of its ICMP errors (Linux: 6, then one a second). */
const ERROR_BURST = 5;
const ERROR_INTERVAL_MS = 1000;

/** Path to a host by ICMP datagram sockets or UDP with the error queue, as an ordinary user. */
export const tracePath: TracePath = async (request) => {
  const family = familyOf(request.destination);
  const method = chooseMethod(request.method, family);
  const timeoutMs = timeoutOf(request);
  const options = {
    maxHops: boundedWhole('maxHops', request.maxHops, { min: 1, max: 64, default: 30 }),
    rounds: boundedWhole('rounds', request.rounds, { min: 1, max: 100, default: 3 }),
    roundMs: boundedWhole('roundMs', request.roundMs, { min: 0, max: 60_000, default: 1000 }),
    timeoutMs,
  };
  const target = { destination: request.destination, family, method, ...(await sourceOf(request.destination)) };
  return withRun({ ...target, ...limits(request, timeoutMs) }, async (run) => {
    await runRounds(run, options);
    const end = endOf(run.probes);
    const hops = summariseHops(run.probes);
    const reached = end !== undefined && hops[end - 1]?.kind === 'destination';
    const base = { destination: request.destination, family, method, reached, hops, sent: run.probes.length };
    return { ...base, ...errorOf(run) };
  });
};

/** Round-trip times to the next hop: echo requests to it, or UDP probes that expire there. */
export const pingGateway: PingGateway = async (request) => {
  const family = familyOf(request.gateway);
  const method = chooseMethod(request.method, family);
  const timeoutMs = timeoutOf(request);
  const count = boundedWhole('count', request.count, { min: 1, max: 100, default: 5 });
  const intervalMs = boundedWhole('intervalMs', request.intervalMs, { min: 1, max: 60_000, default: 200 });
  const icmp = method === 'icmp';
  if (!icmp && familyOf(request.towards) !== family) throw new RangeError("towards must be of the gateway's address family");
  const target = {
    destination: icmp ? withoutZone(request.gateway) : request.towards,
    ...(icmp && request.interfaceIndex !== undefined ? { scope: request.interfaceIndex } : {}),
  };
  return withRun({ ...target, family, method, ...limits(request, timeoutMs) }, async (run) => {
    await sendPings(run, {
      count,
      timeoutMs,
      pace: (sent) => (icmp || sent < ERROR_BURST ? intervalMs : Math.max(intervalMs, ERROR_INTERVAL_MS)),
      ...(icmp ? {} : { ttl: 1 }),
    });
    return summarisePings(run, method);
  });
};

interface PingPlan {
  readonly count: number;
  readonly timeoutMs: number;
  readonly ttl?: number;
  /** Milliseconds to the next probe after so many sent. */
  readonly pace: (sent: number) => number;
}

async function sendPings(run: ProbeRun, plan: PingPlan): Promise<void> {
  let next = performance.now();
  for (let sent = 0; sent < plan.count; sent += 1) {
    await run.waitUntil(next, () => false);
    run.send(plan.ttl);
    next = performance.now() + plan.pace(sent + 1);
  }
  await run.waitUntil(performance.now() + plan.timeoutMs, () => !run.probes.some(run.isPending));
}

function summarisePings(run: ProbeRun, method: ProbeMethod): PingReading {
  const back = run.probes.filter((probe) => probe.rttMs !== undefined && probe.answer?.kind !== 'unreachable');
  return {
    method,
    sent: run.probes.length,
    received: back.length,
    rttsMs: back.flatMap((probe) => probe.rttMs ?? []),
    ...errorOf(run),
  };
}

async function withRun<T>(options: ProbeRunOptions, measure: (run: ProbeRun) => Promise<T>): Promise<Reading<T>> {
  options.signal?.throwIfAborted();
  let run: ProbeRun;
  try {
    run = openProbeRun(options);
  } catch (error) {
    if (error instanceof SystemCallError) return unavailable(codeOf(error));
    throw error;
  }
  try {
    return measured(await measure(run));
  } finally {
    run.close();
  }
}

/** From which address the system would send, for telling its own words from those of the path. */
async function sourceOf(destination: string): Promise<{ source?: string }> {
  const route = readingValue(await findRoute(destination));
  const source = route && readingValue(route.source);
  return source === undefined || source === destination ? {} : { source };
}

const codeOf = (error: SystemCallError): UnavailableCode =>
  error.code === 'EACCES' || error.code === 'EPERM' ? 'permission' : 'not_supported';

const errorOf = (run: ProbeRun): { error?: string } => {
  const error = run.sendError();
  return error === undefined ? {} : { error };
};

const chooseMethod = (wanted: ProbeMethod | undefined, family: 4 | 6): ProbeMethod =>
  wanted ?? (tryIcmp(family).allowed ? 'icmp' : 'udp');

const timeoutOf = (request: TraceRequest | GatewayPingRequest): number =>
  boundedWhole('timeoutMs', request.timeoutMs, { min: 10, max: 10_000, default: 1000 });

const limits = (request: { signal?: AbortSignal }, timeoutMs: number): { timeoutMs: number; signal?: AbortSignal } =>
  request.signal ? { timeoutMs, signal: request.signal } : { timeoutMs };

const withoutZone = (address: string): string => address.split('%')[0] ?? address;
