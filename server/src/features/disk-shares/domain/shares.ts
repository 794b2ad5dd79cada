import type { TenantId } from '#kernel';

/** What the disk of the column store has left, and what each tenant keeps on it. */
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

/**
 * Tenants from which nothing more is taken: where the disk is nearly full, those that hold more than an equal share of what all hold. The rest
 * of the disk is for the others. A tenant alone may fill it.
 */
export function findOverShare(use: DiskUse, tenants: number): ReadonlySet<TenantId> {
  if (tenants < 2 || !isNearlyFull(use)) return new Set();
  const all = [...use.tenants.values()].reduce((sum, bytes) => sum + bytes, 0);
  const share = all / tenants;
  return new Set([...use.tenants].filter(([, bytes]) => bytes > share).map(([tenant]) => tenant));
}
