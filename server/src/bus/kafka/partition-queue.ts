import type { Topic } from '@svc/contracts/bus-topics';
import type { PartitionCursor, Taken } from '../deliver.ts';
import type { BusMessage } from '../port.ts';
import { createWaiters } from '../waiters.ts';

/** What was fetched of a partition and is not handled yet. */
export interface PartitionQueue extends PartitionCursor {
  push(messages: readonly BusMessage[]): void;
  /** Forgets what was fetched: after a rebalance the client fetches again from the committed position. */
  reset(): void;
}

export interface QueueHooks {
  isOurs(): boolean;
  /** Handled up to `next`. */
  committed(next: number): void;
  /** Above the bound: stop fetching this partition; below half of it: go on. */
  setPaused(paused: boolean): void;
}

/** Bytes held of one partition before its fetching pauses. */
const PAUSE_BYTES = 8 * 1024 * 1024;

export function createPartitionQueue(
  where: { topic: Topic; group: string; partition: number },
  hooks: QueueHooks,
): PartitionQueue {
  let entries: BusMessage[] = [];
  let bytes = 0;
  let position = 0;
  let paused = false;
  const waiters = createWaiters();
  const setPaused = (wanted: boolean) => {
    if (paused === wanted) return;
    paused = wanted;
    hooks.setPaused(wanted);
  };
  const take = (from: number, bounds: { maxMessages: number; maxBytes: number }): Taken => {
    const taken: Taken = { messages: [], bytes: 0, next: from };
    for (const message of entries) {
      if (message.offset < from) continue;
      if (taken.messages.length >= bounds.maxMessages) break;
      if (taken.messages.length > 0 && taken.bytes + message.value.length > bounds.maxBytes) break;
      taken.messages.push(message);
      taken.bytes += message.value.length;
      taken.next = Number(message.offset) + 1;
    }
    return taken;
  };
  return {
    ...where,
    isOurs: hooks.isOurs,
    position: () => position,
    take: async (from, bounds) => take(from, bounds),
    waitForMore: async (from, signal) => {
      const last = entries.at(-1);
      if (!last || last.offset < from) await waiters.wait(signal);
    },
    push(messages) {
      const end = Math.max(position, Number(entries.at(-1)?.offset ?? -1n) + 1);
      for (const message of messages) {
        if (message.offset < end) continue;
        entries.push(message);
        bytes += message.value.length + 100;
      }
      setPaused(bytes > PAUSE_BYTES);
      waiters.wakeAll();
    },
    commit(next) {
      position = next;
      const kept = entries.findIndex((message) => message.offset >= next);
      entries = kept < 0 ? [] : entries.slice(kept);
      bytes = entries.reduce((sum, message) => sum + message.value.length + 100, 0);
      if (bytes < PAUSE_BYTES / 2) setPaused(false);
      hooks.committed(next);
    },
    reset() {
      entries = [];
      bytes = 0;
      setPaused(false);
    },
  };
}
