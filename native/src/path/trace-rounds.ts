import type { Probe, ProbeRun } from './probe-run.ts';

/** Unanswered probes in flight while the path is found out: the burst that hosts allow of their ICMP errors. */
const DISCOVERY_WINDOW = 6;
/** Discovery ends after so many silent distances beyond the last answer. */
const SILENT_LIMIT = 12;
/** Distances tried on beyond the last answer where the destination was not found. */
const BEYOND_LAST = 3;

export interface RoundsOptions {
  readonly maxHops: number;
  readonly rounds: number;
  readonly roundMs: number;
  readonly timeoutMs: number;
}

/** The nearest distance at which the path ended; undefined while unknown. */
export function endOf(probes: readonly Probe[]): number | undefined {
  let end: number | undefined;
  for (const { ttl, answer, rttMs } of probes) {
    const ends = rttMs !== undefined && (answer?.kind === 'destination' || answer?.kind === 'unreachable');
    if (ends && (end === undefined || ttl < end)) end = ttl;
  }
  return end;
}

const lastAnswered = (probes: readonly Probe[]): number =>
  probes.reduce((last, probe) => (probe.rttMs !== undefined && probe.ttl > last ? probe.ttl : last), 0);

/** First finds the path out, a few probes at a time, then one probe for each distance in each round. */
export async function runRounds(run: ProbeRun, options: RoundsOptions): Promise<void> {
  const startedMs = performance.now();
  await discover(run, options);
  const found = lastAnswered(run.probes) + BEYOND_LAST;
  for (let round = 1; round < options.rounds; round += 1) {
    await run.waitUntil(startedMs + round * options.roundMs, () => false);
    const last = Math.min(options.maxHops, endOf(run.probes) ?? found);
    for (let ttl = 1; ttl <= last; ttl += 1) run.send(ttl);
  }
  await run.waitUntil(performance.now() + options.timeoutMs, () => isComplete(run));
}

/** Probes beyond the end of the path are not waited for. */
function isComplete(run: ProbeRun): boolean {
  const end = endOf(run.probes) ?? Infinity;
  return !run.probes.some((probe) => probe.ttl <= end && run.isPending(probe));
}

async function discover(run: ProbeRun, options: RoundsOptions): Promise<void> {
  const pending = (): Probe[] => run.probes.filter(run.isPending);
  const isSettled = (): boolean => endOf(run.probes) !== undefined;
  for (let ttl = 1; ttl <= options.maxHops && !isSettled(); ttl += 1) {
    while (pending().length >= DISCOVERY_WINDOW && !isSettled()) {
      const oldest = Math.min(...pending().map((probe) => probe.startedMs));
      await run.waitUntil(oldest + options.timeoutMs, () => pending().length < DISCOVERY_WINDOW || isSettled());
    }
    if (ttl - lastAnswered(run.probes) > SILENT_LIMIT || isSettled()) break;
    run.send(ttl);
    if (run.probes.length === 0) return;
  }
  await run.waitUntil(performance.now() + options.timeoutMs, () => isComplete(run));
}
