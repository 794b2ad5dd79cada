import { setTimeout as sleep, setImmediate as turnOfLoop } from 'node:timers/promises';
import type { IntervalsMs } from '@svc/desktop-agent/headless';
import { isMeasuring } from './domain/conditions.ts';
import type { SimulatedAgent } from './simulated-agent.ts';

/** The cadence of what is made up of the past. */
export const BACKFILL_STEP_MS = 300_000;
const STEPS_PER_PART = 24;
/** Results that may wait at once; more are not made before these are stored. */
const MAX_WAITING = 30_000;
/** As many probes as fill the loss window within two turns. */
const PROBES = 25;
const INTERVALS: IntervalsMs = {
  wifi: BACKFILL_STEP_MS,
  gateway: BACKFILL_STEP_MS,
  path: BACKFILL_STEP_MS,
  session: BACKFILL_STEP_MS,
};

export interface Backfill {
  /** Unix milliseconds; whole steps between them are made. */
  fromMs: number;
  toMs: number;
  anchorMs: number;
  onProgress(progress: { share: number; made: number }): void;
  signal: AbortSignal;
}

/** Devices are spread over the step, each always at the same place in it. */
const offsetOf = (agent: SimulatedAgent): number => (agent.device.index * 7919) % BACKFILL_STEP_MS;

const waiting = (agents: readonly SimulatedAgent[]): number => agents.reduce((sum, { spool }) => sum + spool.status().results, 0);

async function waitBelow(agents: readonly SimulatedAgent[], bound: number, signal: AbortSignal): Promise<void> {
  while (waiting(agents) > bound) await sleep(50, undefined, { signal });
}

/** One device's results of a part of the past, into its spool. */
async function makePart(agent: SimulatedAgent, part: { fromMs: number; toMs: number; anchorMs: number }): Promise<number> {
  const records: Buffer[] = [];
  const offset = offsetOf(agent);
  const first = Math.ceil((part.fromMs - offset) / BACKFILL_STEP_MS) * BACKFILL_STEP_MS + offset;
  for (let atMs = first; atMs < part.toMs; atMs += BACKFILL_STEP_MS) {
    if (!isMeasuring(agent.device, atMs - part.anchorMs)) continue;
    records.push(...agent.measuring.measure(atMs, { depth: 'all', probes: PROBES, intervals: INTERVALS }));
  }
  if (records.length === 0) return 0;
  await agent.spool.append(records);
  agent.link.wake('now');
  return records.length;
}

/** Makes the past up and delivers it, oldest first; resolves with the number of results when all of it is acknowledged. */
export async function backfill(agents: readonly SimulatedAgent[], work: Backfill): Promise<number> {
  const { fromMs, toMs, anchorMs, signal } = work;
  let made = 0;
  for (let partMs = fromMs; partMs < toMs; partMs += STEPS_PER_PART * BACKFILL_STEP_MS) {
    const part = { fromMs: partMs, toMs: Math.min(toMs, partMs + STEPS_PER_PART * BACKFILL_STEP_MS), anchorMs };
    for (const agent of agents) {
      signal.throwIfAborted();
      made += await makePart(agent, part);
      // Acknowledgements are read in between.
      await turnOfLoop();
    }
    await waitBelow(agents, MAX_WAITING, signal);
    work.onProgress({ share: (part.toMs - fromMs) / (toMs - fromMs), made });
  }
  await waitBelow(agents, 0, signal);
  return made;
}
