import type { TenantId } from '#kernel';
import type { CheckedMessage } from '../message-bounds.ts';
import { hashTenant, LOCAL_PARTITIONS } from '../partition.ts';
import { recordBytes } from './record.ts';

/** Parts of the bound in which positions are counted: what is read within one counts until all of it is read. */
const SLOTS = 64;

interface Slot {
  number: number;
  bytes: number;
}

interface Holding {
  partition: number;
  bytes: number;
  /** In order of position. */
  slots: Slot[];
}

/** Bytes of each tenant in a topic's log that some group has not handled yet, waiting ones included. */
export interface Unread {
  of(tenant: TenantId): number;
  /** So many bytes of the tenant stand, or will stand, at this position. */
  add(tenant: TenantId, bytes: number, position: number): void;
  addAll(messages: readonly CheckedMessage[], base: number): void;
  /** They could not be written. */
  takeBack(messages: readonly CheckedMessage[]): void;
  /** Everything of the partition below the position is handled; all there is when it is Infinity. */
  settle(partition: number, floor: number): void;
}

export function createUnread(maxBytes: number): Unread {
  const slotBytes = Math.max(1, Math.floor(maxBytes / SLOTS));
  const holdings = new Map<TenantId, Holding>();
  const settled = Array.from({ length: LOCAL_PARTITIONS }, () => 0);

  function add(tenant: TenantId, bytes: number, position: number): void {
    let holding = holdings.get(tenant);
    if (!holding) {
      holding = { partition: hashTenant(tenant) % LOCAL_PARTITIONS, bytes: 0, slots: [] };
      holdings.set(tenant, holding);
    }
    holding.bytes += bytes;
    const number = Math.floor(position / slotBytes);
    const last = holding.slots.at(-1);
    if (last && last.number >= number) last.bytes += bytes;
    else holding.slots.push({ number, bytes });
  }

  return {
    add,
    of: (tenant) => holdings.get(tenant)?.bytes ?? 0,
    addAll(messages, base) {
      let position = base;
      for (const message of messages) {
        const bytes = recordBytes(message);
        add(message.tenant, bytes, position);
        position += bytes;
      }
    },
    takeBack(messages) {
      for (const message of messages) {
        const holding = holdings.get(message.tenant);
        const last = holding?.slots.at(-1);
        if (!holding || !last) continue;
        const bytes = Math.min(recordBytes(message), last.bytes);
        last.bytes -= bytes;
        holding.bytes -= bytes;
      }
    },
    settle(partition, floor) {
      const until = Math.floor(floor / slotBytes);
      if (until === settled[partition]) return;
      // The end of what is there now is no place in the log.
      if (Number.isFinite(until)) settled[partition] = until;
      for (const [tenant, holding] of holdings) {
        if (holding.partition !== partition) continue;
        while ((holding.slots[0]?.number ?? Number.POSITIVE_INFINITY) < until)
          holding.bytes -= (holding.slots.shift() as Slot).bytes;
        if (holding.slots.length === 0) holdings.delete(tenant);
      }
    },
  };
}
