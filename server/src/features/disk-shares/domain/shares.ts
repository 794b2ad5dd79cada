import type { TenantId } from '#kernel';

/** What the disk of the column store has left, and what each tenant that exists keeps on it, be it nothing. */
export interface DiskUse {
  freeBytes: number;
  totalBytes: number;
  tenants: ReadonlyMap<TenantId, number>;
  /** What may be acknowledged and not stored yet. */
  waitingBytes?: number;
}

/** Of the disk, for tenants that hold less than their share; on a large one no more than this. */
const RESERVE_SHARE = 0.05;
const MAX_RESERVE_BYTES = 16 * 1024 ** 3;

/** What waits takes its room before the others' reserve does, and once more while the store merges it. */
const TIMES_WAITING = 2;

export const reserveOf = ({ totalBytes, waitingBytes = 0 }: Pick<DiskUse, 'totalBytes' | 'waitingBytes'>): number =>
  Math.min(RESERVE_SHARE * totalBytes, MAX_RESERVE_BYTES) + TIMES_WAITING * waitingBytes;

export const isNearlyFull = (use: DiskUse): boolean => use.freeBytes < reserveOf(use);

/** The most that each may hold so that all of them fit: who holds less leaves the rest to the others, so idle tenants lower nobody's share. */
function levelOf(held: readonly number[], fitting: number): number {
  const sorted = held.toSorted((a, b) => a - b);
  let left = fitting;
  for (const [i, bytes] of sorted.entries()) {
    const share = left / (sorted.length - i);
    if (bytes > share) return share;
    left -= bytes;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * Tenants from which nothing more is taken where the disk is nearly full: those above the level at which all would fit. The less is left, the
 * lower it sinks, down to nothing: whoever stays just below it would else fill the disk. A tenant alone may fill it.
 */
export function findOverShare(use: DiskUse): ReadonlySet<TenantId> {
  if (use.tenants.size < 2 || !isNearlyFull(use)) return new Set();
  const held = [...use.tenants.values()];
  const all = held.reduce((sum, bytes) => sum + bytes, 0);
  const reserve = reserveOf(use);
  // Where something else fills the disk, at least half of what they hold is still theirs to share.
  const level = levelOf(held, Math.max(all + use.freeBytes - reserve, all / 2)) * (use.freeBytes / reserve);
  return new Set([...use.tenants].filter(([, bytes]) => bytes > level).map(([tenant]) => tenant));
}
