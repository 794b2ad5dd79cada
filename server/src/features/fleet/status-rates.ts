import type { TenantAgent } from './context.ts';

/** A device reports its status when it changes and every few minutes; after a start a few at once. */
const PER_SECOND = 1;
const BURST = 30;
const FULL_AGAIN_MS = (BURST / PER_SECOND) * 1000;
const SWEEP_MS = 60_000;

/** Counts a status of a device; gives the milliseconds for which its stream is not to be read. */
export type SpendStatus = (agent: TenantAgent) => number;

/** Each device has a token bucket, which outlives its stream: to connect again does not fill it. */
export function createStatusRates(nowMs: () => number = () => performance.now()): SpendStatus {
  const buckets = new Map<string, { left: number; atMs: number }>();
  let sweptMs = nowMs();
  const dropFull = (): void => {
    if (nowMs() - sweptMs < SWEEP_MS) return;
    sweptMs = nowMs();
    for (const [key, { atMs }] of buckets) if (nowMs() - atMs > 2 * FULL_AGAIN_MS) buckets.delete(key);
  };
  return ({ tenant, agentId }) => {
    dropFull();
    const key = `${tenant}/${agentId}`;
    const { left, atMs } = buckets.get(key) ?? { left: BURST, atMs: nowMs() };
    const rest = Math.min(BURST, left + ((nowMs() - atMs) / 1000) * PER_SECOND) - 1;
    buckets.set(key, { left: rest, atMs: nowMs() });
    return rest >= 0 ? 0 : (-rest / PER_SECOND) * 1000;
  };
}
