import dns from 'node:dns/promises';
import net from 'node:net';
import { findRoute } from '@svc/native/gateway/index';
import { tracePath } from '@svc/native/path/index';
import type { ProbeMethod, TraceReading } from '@svc/native/path/path';
import { measured, type Reading, readingValue } from '@svc/native/reading';
import { describeHops, edgeHopOf, type PathHop, type PathSegment, summariseSegments } from './path-bands.ts';
import { withLimit } from './time-limit.ts';

export type { PathHop, PathSegment };

const LOOKUP_LIMIT_MS = 5000;

export interface PathRequest {
  /** Host name or numeric address, chosen by the caller. */
  readonly target: string;
  /** Numeric address to trace to where the caller resolved the target already. */
  readonly address?: string;
  readonly family?: 4 | 6;
  readonly method?: ProbeMethod;
  /** Default 30, at most 64. */
  readonly maxHops?: number;
  /** Default 3. */
  readonly rounds?: number;
  readonly roundMs?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface PathMeasurement {
  readonly target: string;
  readonly address: string | null;
  readonly family: 4 | 6 | null;
  readonly method: ProbeMethod | null;
  readonly reached: boolean;
  readonly hops: readonly PathHop[];
  /** Only bands that a hop answered for. */
  readonly segments: readonly PathSegment[];
  /** Distance of the provider's edge; null where it did not answer. */
  readonly edgeHop?: number | null;
  readonly sent: number;
  readonly durationMs: number;
  /** dns, or the system's name of an error such as ENETUNREACH. */
  readonly error?: string;
}

/** Traces to one target in rounds. Rejects with the signal's reason when aborted, with a RangeError on bad bounds. */
export type MeasurePath = (request: PathRequest) => Promise<Reading<PathMeasurement>>;

export const measurePath: MeasurePath = async (request) => {
  if (request.target.trim() === '') throw new RangeError('a path needs a target');
  const startedMs = performance.now();
  const resolved = await resolveTarget(request);
  if ('error' in resolved) return measured({ ...nothing(request.target, startedMs), error: resolved.error });
  const { address } = resolved;
  const route = readingValue(await findRoute(address));
  const { target, family, address: given, ...limits } = request;
  const trace = await tracePath({ ...limits, destination: address });
  if ('unavailable' in trace) return trace;
  const hops = describeHops(trace.value.hops, route && readingValue(route.source));
  return measured({
    ...nothing(target, startedMs),
    ...tracedPart(address, trace.value),
    hops,
    segments: summariseSegments(hops),
    edgeHop: edgeHopOf(hops)?.hop ?? null,
  });
};

function tracedPart(address: string, trace: TraceReading) {
  const { family, method, reached, sent, error } = trace;
  return { address, family, method, reached, sent, ...(error === undefined ? {} : { error }) };
}

const nothing = (target: string, startedMs: number): PathMeasurement => ({
  target,
  address: null,
  family: null,
  method: null,
  reached: false,
  hops: [],
  segments: [],
  sent: 0,
  durationMs: performance.now() - startedMs,
});

async function resolveTarget(request: PathRequest): Promise<{ address: string } | { error: string }> {
  const numeric = request.address ?? request.target;
  if (net.isIP(numeric) !== 0) return { address: numeric };
  try {
    const lookup = dns.lookup(numeric, { family: request.family ?? 0, order: 'verbatim' });
    return { address: (await withLimit(lookup, LOOKUP_LIMIT_MS, request.signal)).address };
  } catch {
    request.signal?.throwIfAborted();
    return { error: 'dns' };
  }
}
