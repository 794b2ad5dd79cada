import { uptime } from 'node:os';

/** Time as the agent needs it; injected, so that tests and simulations have their own. */
export interface AgentClock {
  /** Unix milliseconds by this device's clock, which may jump. */
  now(): number;
  /** Milliseconds that never jump and go on while the machine sleeps. */
  steady(): number;
}

export const systemClock: AgentClock = { now: () => Date.now(), steady: () => uptime() * 1000 };
