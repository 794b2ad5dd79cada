export interface AttemptLimit {
  /** Counts an attempt of `key` at `nowMs`; gives the seconds to wait when there were too many, else 0. */
  count(key: string, nowMs: number): number;
}

const MAX_KEYS = 50_000;

/** At most `max` attempts in any window of `windowMs` for each key; refused attempts do not count. Bounded: the oldest keys go first. */
export function createAttemptLimit({ max, windowMs }: { max: number; windowMs: number }): AttemptLimit {
  const attempts = new Map<string, number[]>();
  return {
    count(key, nowMs) {
      const recent = (attempts.get(key) ?? []).filter((at) => at > nowMs - windowMs);
      const [oldest] = recent;
      if (recent.length >= max && oldest !== undefined) return Math.max(1, Math.ceil((oldest + windowMs - nowMs) / 1000));
      attempts.delete(key);
      attempts.set(key, [...recent, nowMs]);
      if (attempts.size > MAX_KEYS) {
        const [first] = attempts.keys();
        if (first !== undefined) attempts.delete(first);
      }
      return 0;
    },
  };
}
