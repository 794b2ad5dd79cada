import type { Signal } from '@svc/otlp-wire/walk';
import type { TenantId } from '#kernel';
import { createHeadroom, type Headroom } from './headroom.ts';

/**
 * The newest of a block is built and inserted within 0.4 s where there is time for it, however long others of the block were waited for: from here on the
 * tenant brings more than is stored. Less would wait for nothing, and more is read off the disk again instead of out of memory.
 */
const LATE_MS = 500;
/** No answer is held longer, however late the store is: what is acknowledged is safe on the bus. */
const MOST_HOLD_MS = 1000;
/**
 * What another replica stores late is held longer: its receiver does not know here who else sends to the partition, and a tenant alone at this
 * one may have 64 MiB under way. Senders give up after ten seconds.
 */
const MOST_ELSEWHERE_HOLD_MS = 4000;
/** Of what rows are late, since it is seen half a second after it was made: held for all of it, senders would stop and go. */
const SHARE = 0.5;
/** What was seen so long ago says nothing: the tenant has gone quiet, or the store is away and the bus is there for that. */
const FORGET_MS = 5000;

/** Slows those who bring more than is stored, so that their data are found soon and nobody waits behind them; it refuses nothing. */
export interface Pace {
  /** The newest rows of a block, of a tenant that brings much, could be asked for so many milliseconds after they came. */
  stored(signal: Signal, tenant: TenantId, ageMs: number): void;
  /**
   * The same where another replica of the fleet stored them and other tenants' rows of the partition came with them: those wait behind
   * what this one receives.
   */
  storedElsewhere(signal: Signal, tenant: TenantId, ageMs: number): void;
  /** Milliseconds for which the answer to a request of so many bytes is held back; 0 for nearly everybody. */
  holdMs(signal: Signal, tenant: TenantId, bytes: number): number;
  /** Answers that were held so far, by tenant. */
  readonly held: ReadonlyMap<TenantId, number>;
}

interface Seen {
  ageMs: number;
  atMs: number;
  mostHoldMs: number;
}

export function createPace(nowMs: () => number = () => performance.now(), headroom: Headroom = createHeadroom()): Pace {
  const held = new Map<TenantId, number>();
  const seen = new Map<string, Seen>();
  const keyOf = (signal: Signal, tenant: TenantId): string => `${signal} ${tenant}`;
  const isOld = ({ atMs }: Seen): boolean => nowMs() - atMs > FORGET_MS;

  function holdForStore(signal: Signal, tenant: TenantId): number {
    const one = seen.size > 0 ? seen.get(keyOf(signal, tenant)) : undefined;
    if (!one || isOld(one)) return 0;
    return Math.min(Math.max(one.ageMs - LATE_MS, 0) * SHARE, one.mostHoldMs);
  }

  const note =
    (mostHoldMs: number): Pace['stored'] =>
    (signal, tenant, ageMs) => {
      for (const [key, one] of seen) if (isOld(one)) seen.delete(key);
      seen.set(keyOf(signal, tenant), { ageMs, atMs: nowMs(), mostHoldMs });
    };

  return {
    stored: note(MOST_HOLD_MS),
    storedElsewhere: note(MOST_ELSEWHERE_HOLD_MS),
    holdMs(signal, tenant, bytes) {
      const ms = Math.max(holdForStore(signal, tenant), headroom.holdMs(tenant, bytes));
      if (ms > 0) held.set(tenant, (held.get(tenant) ?? 0) + 1);
      return ms;
    },
    held,
  };
}
