import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds. */
export interface Latency {
  p50: number;
  p95: number;
}

/** Medians over all pairs. */
export interface FairShare {
  alone: Latency;
  beside: Latency;
  /** What `p95` may be beside the loud tenant: twice the p95 alone or 50 ms more, whichever is more. */
  boundMs: number;
}

export interface FairShareOptions {
  /** One request of the quiet tenant, from its start to its answer. */
  quiet(): Promise<void>;
  /**
   * What the loud tenant does until the signal aborts, over and over; it resolves or rejects with the signal's reason when all that it began
   * has ended. Anything else that it rejects with fails the measurement: a loud tenant that stopped early shows nothing.
   */
  loud(signal: AbortSignal): Promise<void>;
  /** Default 5. Where their medians miss the bound, twice as many more are measured, and the medians of all decide. */
  pairs?: number;
  /** Requests of the quiet tenant in each half of a pair. Default 20. */
  requests?: number;
  /** From the loud tenant's start to the first request that counts. Default 300 ms. */
  warmUpMs?: number;
  /** Between two requests, as of a person. Default 10 ms. */
  pauseMs?: number;
}

const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;

const inOrder = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

async function time({ quiet, requests = 20, pauseMs = 10 }: FairShareOptions): Promise<Latency> {
  const taken: number[] = [];
  for (let i = 0; i < requests; i++) {
    const start = performance.now();
    await quiet();
    taken.push(performance.now() - start);
    await sleep(pauseMs);
  }
  const sorted = inOrder(taken);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
}

async function timeBeside(options: FairShareOptions): Promise<Latency> {
  const stop = new AbortController();
  const loud = options.loud(stop.signal).then(
    () => {
      if (!stop.signal.aborted) throw new Error('the loud tenant ended before it was told to');
    },
    (error: unknown) => {
      if (!stop.signal.aborted || error !== stop.signal.reason) throw error;
    },
  );
  try {
    await Promise.race([sleep(options.warmUpMs ?? 300), loud]);
    return await time(options);
  } finally {
    stop.abort();
    await loud;
  }
}

const median = (all: readonly Latency[]): Latency => ({ p50: medianOf(all, 'p50'), p95: medianOf(all, 'p95') });

const medianOf = (all: readonly Latency[], of: keyof Latency): number => quantile(inOrder(all.map((one) => one[of])), 0.5);

/**
 * Times a quiet tenant's requests alone and beside a loud tenant, in pairs one after the other, so that whatever else slows the machine
 * slows both halves. The first requests, which fill caches, do not count.
 */
export async function measureFairShare(options: FairShareOptions): Promise<FairShare> {
  await time({ ...options, requests: 5 });
  const alone: Latency[] = [];
  const beside: Latency[] = [];
  const measure = async (pairs: number): Promise<FairShare> => {
    for (let pair = 0; pair < pairs; pair++) {
      alone.push(await time(options));
      beside.push(await timeBeside(options));
    }
    const quietAlone = median(alone);
    return { alone: quietAlone, beside: median(beside), boundMs: Math.max(quietAlone.p95 * 2, quietAlone.p95 + 50) };
  };
  const { pairs = 5 } = options;
  const measured = await measure(pairs);
  return measured.beside.p95 <= measured.boundMs ? measured : measure(pairs * 2);
}

/** So many at once of a request, each again as soon as it ended, whether it was answered or refused; gives how many ended. */
export async function repeatAtOnce(atOnce: number, signal: AbortSignal, request: () => Promise<unknown>): Promise<number> {
  let ended = 0;
  const one = async (): Promise<void> => {
    while (!signal.aborted) {
      // A refusal at once must not become a loop that keeps this very process busy: over a network it would take about as long.
      await request().catch(() => sleep(25));
      ended++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return ended;
}
