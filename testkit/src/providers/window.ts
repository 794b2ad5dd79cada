/** A sliding window of calls, as rate limits of providers count them. */
export interface CallWindow {
  /** Undefined: it may pass and is counted; else the milliseconds until one may. */
  take(nowMs: number): number | undefined;
}

/** Several windows at once, such as 4 a second and 100 an hour: a call that one of them refuses counts in none. */
export function createWindows(limits: readonly { most: number; ms: number }[]): CallWindow {
  let passed: number[] = [];
  const longest = Math.max(...limits.map(({ ms }) => ms));
  return {
    take(nowMs) {
      passed = passed.filter((atMs) => atMs > nowMs - longest);
      const waits = limits.flatMap(({ most, ms }) => {
        const inside = passed.filter((atMs) => atMs > nowMs - ms);
        const [oldest = nowMs] = inside.slice(-most);
        return inside.length >= most ? [oldest + ms - nowMs] : [];
      });
      if (waits.length > 0) return Math.max(...waits);
      passed.push(nowMs);
      return undefined;
    },
  };
}

export const createWindow = (limit: { most: number; ms: number }): CallWindow => createWindows([limit]);
