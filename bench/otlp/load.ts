import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFreshPayload, type FreshPayload } from './fresh-payload.ts';
import { type LoadTarget, openClient } from './load-clients.ts';

/** What the benchmark tells a load generator. */
export interface LoadOrder extends LoadTarget {
  /** One after the other sends; each with a token of its own tenant. */
  tokens: readonly string[];
  /** Spans, log records or points a request. */
  items: number;
  /** Requests under way (closed loop), or at most (open loop). */
  concurrency: number;
  /** Requests a second of the open loop; 0: as fast as they are acknowledged. */
  rate: number;
  warmSeconds: number;
  seconds: number;
  /** "nice" of the process; below 0 where that is allowed. */
  priority?: number;
  /** Ends after so many requests instead of by time; 0: by time. */
  requests: number;
}

export interface LoadReport {
  /** Acknowledged in the measured while, and in all. */
  items: number;
  allItems: number;
  /** Of the requests that were acknowledged. */
  allBytes: number;
  seconds: number;
  allSeconds: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  refused: Readonly<Record<string, number>>;
  /** Of this process, in the measured while. */
  cpuSeconds: number;
}

export type FromLoad = { type: 'warm' } | { type: 'done'; report: LoadReport } | { type: 'failed'; message: string };

const BODIES = 8;
const REFUSED_PAUSE_MS = 20;

interface Counts {
  items: number;
  allItems: number;
  allBytes: number;
  sent: number;
  latencies: number[];
  refused: Record<string, number>;
  isWarm: boolean;
  isOver: boolean;
}

const newCounts = (): Counts => ({
  items: 0,
  allItems: 0,
  allBytes: 0,
  sent: 0,
  latencies: [],
  refused: {},
  isWarm: false,
  isOver: false,
});

/** Gives each request with the time it was due: in the open loop what waits for others counts as its latency. */
function createSchedule({ rate }: LoadOrder): () => Promise<number> {
  const beganMs = performance.now();
  let turn = 0;
  return async () => {
    if (rate === 0) return performance.now();
    const dueMs = beganMs + (turn++ * 1000) / rate;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    return dueMs;
  };
}

async function drive(order: LoadOrder, counts: Counts): Promise<() => Promise<void>> {
  const client = await openClient(order);
  let nextMs = Date.now();
  const takeMs = () => {
    nextMs -= 1;
    return nextMs;
  };
  const make = (seed: number) => createFreshPayload({ ...order, tenant: undefined, seed, takeMs });
  const bodies = Array.from({ length: BODIES }, (_, i) => make(i + 1));
  const due = createSchedule(order);
  const lane = async (): Promise<void> => {
    while (!counts.isOver && (order.requests === 0 || counts.sent < order.requests)) {
      const turn = counts.sent++;
      const dueMs = await due();
      const body = (bodies[turn % BODIES] as FreshPayload).next();
      const fault = await client.send(body, order.tokens[turn % order.tokens.length] as string);
      if (fault === '') {
        counts.allItems += order.items;
        counts.allBytes += body.length;
        if (!counts.isWarm || counts.isOver) continue;
        counts.items += order.items;
        counts.latencies.push(performance.now() - dueMs);
      } else {
        counts.refused[fault] = (counts.refused[fault] ?? 0) + 1;
        await sleep(REFUSED_PAUSE_MS);
      }
    }
  };
  const lanes = Promise.all(Array.from({ length: order.concurrency }, lane));
  return async () => {
    await lanes;
    client.close();
  };
}

async function run(order: LoadOrder, tell: (message: FromLoad) => void): Promise<void> {
  if (order.priority !== undefined && process.getuid?.() === 0) setPriority(order.priority);
  const counts = newCounts();
  const beganMs = performance.now();
  const finish = await drive(order, counts);
  if (order.requests === 0) await sleep(order.warmSeconds * 1000);
  counts.isWarm = true;
  tell({ type: 'warm' });
  const [warmMs, cpu] = [performance.now(), process.cpuUsage()];
  if (order.requests === 0) {
    await sleep(order.seconds * 1000);
    counts.isOver = true;
  } else await finish();
  const seconds = (performance.now() - warmMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  if (order.requests === 0) await finish();
  const sorted = counts.latencies.sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  const { items, allItems, allBytes, refused } = counts;
  const allSeconds = (performance.now() - beganMs) / 1000;
  const cpuSeconds = (user + system) / 1e6;
  const latency = { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
  tell({ type: 'done', report: { items, allItems, allBytes, seconds, allSeconds, ...latency, refused, cpuSeconds } });
}

process.once('message', (order: LoadOrder) => {
  const tell = (message: FromLoad): void => {
    process.send?.(message);
  };
  run(order, tell)
    .catch((error: unknown) => tell({ type: 'failed', message: String(error) }))
    .finally(() => process.disconnect?.());
});
