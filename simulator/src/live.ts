import { setTimeout as sleep } from 'node:timers/promises';
import type { IntervalsMs } from '@svc/desktop-agent/headless';
import { isMeasuring } from './domain/conditions.ts';
import type { SimulatedAgent } from './simulated-agent.ts';

/** The agent's own default cadence. */
const NEAR_MS = 60_000;
const ALL_EVERY = 5;
const PROBES = 10;
const TICK_MS = 250;

export interface Live {
  anchorMs: number;
  now(): number;
  /** Times as fast as real devices measure; 1 is the default cadence. */
  rate: number;
  signal: AbortSignal;
}

async function takeTurn(agent: SimulatedAgent, live: Live, isAll: boolean): Promise<void> {
  const atMs = live.now();
  if (!isMeasuring(agent.device, atMs - live.anchorMs)) return;
  const near = NEAR_MS / live.rate;
  const intervals: IntervalsMs = { wifi: near, gateway: near, path: near * ALL_EVERY, session: near * ALL_EVERY };
  await agent.spool.append(agent.measuring.measure(atMs, { depth: isAll ? 'all' : 'near', probes: PROBES, intervals }));
  agent.link.wake('linger');
}

/** All of it at once, because somebody asked for it. */
export const measureNow = (agent: SimulatedAgent, live: Live): Promise<void> => takeTurn(agent, live, true);

/** Every device at its cadence, spread evenly, until the signal. Their silence and pauses are the scenario's. */
export async function runLive(agents: readonly SimulatedAgent[], live: Live): Promise<void> {
  const near = NEAR_MS / live.rate;
  const begunMs = live.now();
  const turns = agents.map((agent, at) => ({
    ...{ agent, nextMs: begunMs + (near * at) / agents.length, turn: at % ALL_EVERY },
    // As a real agent does when it starts: a verdict of the near things alone would call whatever is slow behind them healthy.
    isFirst: true,
  }));
  while (!live.signal.aborted) {
    for (const one of turns) {
      if (one.nextMs > live.now()) continue;
      one.nextMs += near;
      // After a sleep of the machine nobody catches up.
      if (one.nextMs < live.now() - near) one.nextMs = live.now() + near;
      await takeTurn(one.agent, live, one.isFirst || one.turn % ALL_EVERY === 0);
      one.isFirst = false;
      one.turn += 1;
    }
    await sleep(TICK_MS, undefined, { signal: live.signal }).catch(() => {});
  }
}
