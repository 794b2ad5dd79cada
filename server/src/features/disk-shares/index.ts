import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import { AppError, keepsNothing, type Slice, type TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';
import { type DiskUse, findOverShare, isNearlyFull, reserveOf } from './domain/shares.ts';

/** From one look to the next, the sooner the faster the disk fills: half of the time that it would take to reach what is kept. */
const SOONEST_MS = 1000;
const LATEST_MS = 10_000;
const RETRY_AFTER_SECONDS = 60;

export interface DiskSharesDeps {
  bus: Bus;
  store: Pick<ColumnStore, 'diskUse'>;
  /** That exist: what a removed one left until its retention is over counts as what other programs keep on the disk. */
  listTenants: () => Promise<readonly TenantId[]>;
  /** What the bus may hold unread on the same disk; 0 where it has one of its own. */
  maxWaitingBytes?: number;
  log: FastifyBaseLogger;
}

/**
 * Keeps the last of the column store's disk for tenants that hold less than their share of it. What is refused is refused before it is
 * acknowledged, with the time to wait; retention gives the room back. Where the disk cannot be looked at, what was known last stays.
 */
export function createDiskShares({ bus, store, listTenants, maxWaitingBytes: waitingBytes = 0, log }: DiskSharesDeps) {
  let refused: ReadonlySet<TenantId> = new Set();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let before: { freeBytes: number; atMs: number } | undefined;

  /** Milliseconds until the next look. */
  function waitFor(use: DiskUse): number {
    const { freeBytes } = use;
    const atMs = performance.now();
    const perMs = before ? (before.freeBytes - freeBytes) / (atMs - before.atMs) : Number.POSITIVE_INFINITY;
    before = { freeBytes, atMs };
    if (perMs <= 0) return freeBytes < reserveOf(use) ? SOONEST_MS : LATEST_MS;
    return Math.min(LATEST_MS, Math.max(SOONEST_MS, (freeBytes - reserveOf(use)) / perMs / 2));
  }

  async function look(disk: Pick<ColumnStore, 'diskUse'>): Promise<number> {
    const use = { ...(await disk.diskUse()), waitingBytes };
    const existing = isNearlyFull(use) ? await listTenants() : [];
    const tenants = new Map(existing.map((tenant) => [tenant, use.tenants.get(tenant) ?? 0]));
    const next = findOverShare({ ...use, tenants });
    if ([...next].join() !== [...refused].join())
      log.warn(
        { freeBytes: use.freeBytes, refused: [...next] },
        next.size > 0
          ? 'the disk of the column store is nearly full: tenants that hold more than their share of it are refused'
          : 'the disk of the column store has room again',
      );
    refused = next;
    return waitFor(use);
  }

  function lookLater(disk: Pick<ColumnStore, 'diskUse'>, waitMs: number): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      looking = look(disk)
        .catch((error: unknown) => {
          log.warn({ err: error }, 'the disk of the column store cannot be looked at');
          return LATEST_MS;
        })
        .then((nextMs) => lookLater(disk, nextMs));
    }, waitMs).unref();
  }

  const guarded: Bus = {
    ...bus,
    async publish(topic, messages) {
      if (refused.size > 0 && messages.some(({ tenant }) => refused.has(tenant)))
        throw new AppError('unavailable', 'The disk is nearly full, and this tenant holds more than its share of it.', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      await bus.publish(topic, messages);
    },
  };

  return {
    name: 'disk-shares',
    // Wherever something from outside can arrive.
    roles: ['api', 'ingest'],
    data: keepsNothing('what it saw last is in memory'),
    /** The bus for what comes from outside. */
    bus: guarded,
    start: (): void => {
      lookLater(store, 0);
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await looking;
    },
  } satisfies Slice & Record<string, unknown>;
}
