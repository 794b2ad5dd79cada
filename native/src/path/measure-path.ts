import { familyOf } from '../ffi/address.ts';
import { failureCode } from '../ffi/library.ts';
import type { FindRoute } from '../gateway/gateway.ts';
import { measured, type Reading, readingValue, unavailable } from '../reading.ts';
import { boundedWhole } from './bounds.ts';
import type { GatewayPingRequest, PingGateway, PingReading, ProbeMethod, TracePath, TraceRequest } from './path.ts';
import { openProbeRun, type ProbeRun, type ProbeRunOptions } from './probe-run.ts';
import type { OpenProbeSocket } from './probe-socket.ts';
import { summariseHops } from './summarise.ts';
import { endOf, runRounds } from './trace-rounds.ts';

/** Burst and pace that a router allows of its ICMP errors (Linux: 6, then one a second). */
const ERROR_BURST = 5;
const ERROR_INTERVAL_MS = 1000;

/** What a system gives for probing. */
export interface ProbeSystem {
  readonly findRoute: FindRoute;
  readonly openSocket: OpenProbeSocket;
  /** The way probes travel, or undefined where this system cannot send them as wanted. */
  readonly chooseMethod: (wanted: ProbeMethod | undefined, family: 4 | 6) => ProbeMethod | undefined;
  /** False: a UDP probe's errors are not heard here; echo requests with TTL 1 find a gateway that answers no echo itself. */
  readonly hearsUdpErrors: boolean;
  /** The error with which this system refuses to send to neighbours without a permission, where it has such a one. */
  readonly localNetworkRefusal?: string;
}

/** Traces in rounds with one socket. */
export const createTracePath =
  (system: ProbeSystem): TracePath =>
  async (request) => {
    const family = familyOf(request.destination);
    const timeoutMs = timeoutOf(request);
    const options = {
      maxHops: boundedWhole('maxHops', request.maxHops, { min: 1, max: 64, default: 30 }),
      rounds: boundedWhole('rounds', request.rounds, { min: 1, max: 100, default: 3 }),
      roundMs: boundedWhole('roundMs', request.roundMs, { min: 0, max: 60_000, default: 1000 }),
      timeoutMs,
    };
    const method = system.chooseMethod(request.method, family);
    if (method === undefined) return unavailable('not_supported');
    const source = await sourceOf(system, request.destination);
    const target = { destination: request.destination, family, method, ...source };
    return withRun(system, { ...target, ...limits(request, timeoutMs) }, async (run) => {
      await runRounds(run, options);
      const end = endOf(run.probes);
      const hops = summariseHops(run.probes);
      const reached = end !== undefined && hops[end - 1]?.kind === 'destination';
      const base = { destination: request.destination, family, method, reached, hops, sent: run.probes.length };
      return { ...base, ...errorOf(run) };
    });
  };

/** Round-trip times to the next hop: echo requests to it, or probes that expire there. */
export const createPingGateway =
  (system: ProbeSystem): PingGateway =>
  async (request) => {
    const family = familyOf(request.gateway);
    const timeoutMs = timeoutOf(request);
    const count = boundedWhole('count', request.count, { min: 1, max: 100, default: 5 });
    const intervalMs = boundedWhole('intervalMs', request.intervalMs, { min: 1, max: 60_000, default: 200 });
    const way = chooseWay(system, request.method, family);
    if (way === undefined) return unavailable('not_supported');
    const { method, expiring } = way;
    if (expiring && familyOf(request.towards) !== family) throw new RangeError("towards must be of the gateway's address family");
    const target = {
      destination: expiring ? request.towards : withoutZone(request.gateway),
      ...(!expiring && request.interfaceIndex !== undefined ? { scope: request.interfaceIndex } : {}),
      ...(request.through === undefined ? {} : { through: request.through }),
    };
    const reading = await withRun(system, { ...target, family, method, ...limits(request, timeoutMs) }, async (run) => {
      await sendPings(run, {
        count,
        timeoutMs,
        pace: (sent) => (!expiring || sent < ERROR_BURST ? intervalMs : Math.max(intervalMs, ERROR_INTERVAL_MS)),
        ...(expiring ? { ttl: 1 } : {}),
      });
      return summarisePings(run, method);
    });
    return isRefused(reading, system) ? unavailable('permission') : reading;
  };

/** Nothing left this device, and its error says why: that is a permission which is missing, and never a gateway that is gone. */
const isRefused = (reading: Reading<PingReading>, { localNetworkRefusal }: ProbeSystem): boolean =>
  'value' in reading &&
  reading.value.sent === 0 &&
  localNetworkRefusal !== undefined &&
  reading.value.error === localNetworkRefusal;

function chooseWay(system: ProbeSystem, wanted: ProbeMethod | undefined, family: 4 | 6) {
  if (wanted === 'udp' && !system.hearsUdpErrors) return { method: 'icmp', expiring: true } as const;
  const method = system.chooseMethod(wanted, family);
  return method && { method, expiring: method === 'udp' };
}

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

async function withRun<T>(
  system: ProbeSystem,
  options: ProbeRunOptions,
  measure: (run: ProbeRun) => Promise<T>,
): Promise<Reading<T>> {
  options.signal?.throwIfAborted();
  let run: ProbeRun;
  try {
    run = openProbeRun(options, system.openSocket);
  } catch (error) {
    return unavailable(failureCode(error));
  }
  try {
    return measured(await measure(run));
  } finally {
    run.close();
  }
}

/** From which address the system would send, for telling its own words from those of the path. */
async function sourceOf(system: ProbeSystem, destination: string): Promise<{ source?: string }> {
  const route = readingValue(await system.findRoute(destination));
  const source = route && readingValue(route.source);
  return source === undefined || source === destination ? {} : { source };
}

const errorOf = (run: ProbeRun): { error?: string } => {
  const error = run.sendError();
  return error === undefined ? {} : { error };
};

const timeoutOf = (request: TraceRequest | GatewayPingRequest): number =>
  boundedWhole('timeoutMs', request.timeoutMs, { min: 10, max: 10_000, default: 1000 });

const limits = (request: { signal?: AbortSignal }, timeoutMs: number): { timeoutMs: number; signal?: AbortSignal } =>
  request.signal ? { timeoutMs, signal: request.signal } : { timeoutMs };

const withoutZone = (address: string): string => address.split('%')[0] ?? address;
