import type { Ending } from './ending.ts';

export interface BackOffOptions {
  firstMs: number;
  maxMs: number;
  /** For what time alone does not cure: another version, a revoked agent. */
  slowMs: number;
  /** 0 to 1; injected for tests. */
  random: () => number;
}

export const DEFAULT_BACK_OFF: BackOffOptions = { firstMs: 1000, maxMs: 300_000, slowMs: 3_600_000, random: Math.random };

/** How long to wait before the next connection. Doubling with jitter, so that a fleet does not come back in one instant. */
export function createBackOff(options: BackOffOptions = DEFAULT_BACK_OFF) {
  let failures = 0;
  const jittered = (ms: number): number => ms * (0.5 + options.random() / 2);
  return {
    /** The connection worked: the next failure begins small again. */
    succeeded(): void {
      failures = 0;
    },
    delayMs(ending: Ending): number {
      if (ending.kind === 'upgrade_required' || ending.kind === 'forbidden' || ending.kind === 'unknown_agent')
        return jittered((options.slowMs * 4) / 3);
      if (ending.kind === 'drained') return options.firstMs * options.random() * 2;
      const delay = jittered(Math.min(options.maxMs, options.firstMs * 2 ** Math.min(failures, 30)));
      failures += 1;
      return Math.max(delay, ending.retryAfterMs ?? 0);
    },
  };
}
