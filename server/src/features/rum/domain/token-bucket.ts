const MINUTE_MS = 60_000;

/** A budget of a minute that refills evenly; times are of a monotonic clock. */
export interface TokenBucket {
  /** 0 when one was taken; otherwise the milliseconds after which one more is there. */
  take(perMinute: number, nowMs: number): number;
}

export function createTokenBucket(): TokenBucket {
  let tokens = Number.POSITIVE_INFINITY;
  let atMs = 0;
  return {
    take(perMinute, nowMs) {
      if (perMinute === 0) return 0;
      // A bound that was lowered holds at once; one that was raised refills.
      tokens = Math.min(perMinute, tokens + (Math.max(0, nowMs - atMs) * perMinute) / MINUTE_MS);
      atMs = nowMs;
      if (tokens < 1) return Math.max(1, ((1 - tokens) * MINUTE_MS) / perMinute);
      tokens -= 1;
      return 0;
    },
  };
}
