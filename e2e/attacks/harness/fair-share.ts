import { setTimeout as sleep } from 'node:timers/promises';

/** One request of the quiet tenant; resolves with its milliseconds, Infinity where it was not served. */
export type Probe = (turn: number) => Promise<number>;

export interface Probed {
  probe: Probe;
  /** Of each half of a pair. */
  times: number;
}

export interface Share {
  name: string;
  aloneMs: number;
  besideMs: number;
  boundMs: number;
}

const PAIRS = 5;
const WARM_UP_MS = 500;
/** Twice as long, or this much more, whichever is more. */
const TIMES = 2;
const MORE_MS = 50;

const inOrder = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const median = (values: readonly number[]) => inOrder(values)[Math.floor(values.length / 2)] ?? Number.NaN;
const p95 = (values: readonly number[]) =>
  inOrder(values)[Math.min(values.length - 1, Math.floor(values.length * 0.95))] ?? Number.NaN;

type Halves = Record<string, { alone: number[]; beside: number[] }>;

/** One half: all probes side by side, each one after the other, as the people and devices of a quiet tenant come. */
async function takeHalf(probes: Readonly<Record<string, Probed>>, into: (name: string, ms: number) => void): Promise<void> {
  await Promise.all(
    Object.entries(probes).map(async ([name, { probe, times }]) => {
      const taken: number[] = [];
      for (let turn = 0; turn < times; turn += 1) {
        taken.push(await probe(turn));
        await sleep(10);
      }
      into(name, p95(taken));
    }),
  );
}

export interface Loud {
  /** Until the signal. */
  worst(signal: AbortSignal): Promise<unknown>;
  pairs?: number;
}

/**
 * Measures a quiet tenant alone and beside a loud one, in pairs one after the other, so that what else slows the machine slows both
 * halves; of each probe the median of the halves' p95. Which half comes first changes from pair to pair, for a machine that gets slower or
 * faster all the time.
 */
export async function measureShares(probes: Readonly<Record<string, Probed>>, { worst, pairs = PAIRS }: Loud): Promise<Share[]> {
  const halves: Halves = Object.fromEntries(Object.keys(probes).map((name) => [name, { alone: [], beside: [] }]));
  const alone = () => takeHalf(probes, (name, ms) => halves[name]?.alone.push(ms));
  const beside = async () => {
    const stop = new AbortController();
    const running = worst(stop.signal);
    running.catch(() => {});
    await sleep(WARM_UP_MS);
    await takeHalf(probes, (name, ms) => halves[name]?.beside.push(ms));
    stop.abort();
    await running;
  };
  for (let pair = 0; pair < pairs; pair += 1) for (const half of pair % 2 ? [beside, alone] : [alone, beside]) await half();
  return Object.entries(halves).map(([name, { alone, beside }]) => {
    const aloneMs = median(alone);
    return { name, aloneMs, besideMs: median(beside), boundMs: Math.max(aloneMs * TIMES, aloneMs + MORE_MS) };
  });
}

/** Who is not served alone either shows nothing. */
export const isFair = ({ besideMs, boundMs }: Share): boolean => Number.isFinite(boundMs) && besideMs <= boundMs;

export const tellShare = ({ name, aloneMs, besideMs, boundMs }: Share): string =>
  `${name}: ${besideMs.toFixed(0)} ms instead of ${aloneMs.toFixed(0)} ms (at most ${boundMs.toFixed(0)} ms)`;

/**
 * The same; where something missed its bound all is measured once more, and what missed fails only where it misses again: a machine that
 * somebody else loads for some seconds makes one median of five wrong, a hole makes all of them wrong.
 */
export async function measureSharesAgain(probes: Readonly<Record<string, Probed>>, loud: Loud): Promise<Share[]> {
  const shares = await measureShares(probes, loud);
  if (shares.every(isFair)) return shares;
  const again = await measureShares(probes, loud);
  return shares.map((share) => (isFair(share) ? share : (again.find(({ name }) => name === share.name) ?? share)));
}

/** A request and its answer take this long over a network. */
const ROUND_TRIP_MS = 25;

/**
 * Does something in lanes until the signal. What is answered at once must not become a loop that keeps this very process busy, which
 * measures the quiet tenant too: then it would be the measurement that is slow.
 */
export async function repeat(lanes: number, signal: AbortSignal, work: (turn: number) => Promise<unknown>): Promise<void> {
  let turn = 0;
  const lane = async () => {
    while (!signal.aborted) {
      turn += 1;
      const began = performance.now();
      await work(turn).catch(() => {});
      const left = ROUND_TRIP_MS - (performance.now() - began);
      if (left > 0) await sleep(left);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
