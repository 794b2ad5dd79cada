import type { Pace } from './port.ts';

export interface Bucket {
  tokens: number | null;
  atMs: number | null;
}

/** What a bucket holds now. */
export function refill({ tokens, atMs }: Bucket, { perMinute, burst }: Pick<Pace, 'perMinute' | 'burst'>, nowMs: number): number {
  if (tokens === null || atMs === null) return burst;
  return Math.min(burst, tokens + (Math.max(0, nowMs - atMs) * perMinute) / 60_000);
}

/** Puts opens together where more is due than may be said: each job is one call. What finds no place is left over. */
export function gatherRows<R extends { verb: string; in_doubt: boolean; state: string }>(
  rows: readonly R[],
  { calls, gathers }: { calls: number; gathers: number },
): { groups: R[][]; left: R[] } {
  if (rows.length <= calls || gathers <= 1) return { groups: rows.slice(0, calls).map((row) => [row]), left: rows.slice(calls) };
  const canShare = (row: R): boolean => row.verb === 'open' && !row.in_doubt && row.state === 'waiting';
  const shared = rows.filter(canShare);
  const alone = rows.filter((row) => !canShare(row));
  const own = alone.slice(0, shared.length > 0 ? Math.max(0, calls - 1) : calls).map((row) => [row]);
  const room = calls - own.length;
  const size = Math.min(gathers, Math.max(1, Math.ceil(shared.length / Math.max(1, room))));
  const chunks = Array.from({ length: room }, (_, at) => shared.slice(at * size, (at + 1) * size)).filter(
    (one) => one.length > 0,
  );
  return { groups: [...own, ...chunks], left: [...alone.slice(own.length), ...shared.slice(room * size)] };
}
