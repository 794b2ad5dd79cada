import type { Topic } from '@svc/contracts/bus-topics';
import type { PartitionCursor, Taken } from '../deliver.ts';
import type { BusMessage } from '../port.ts';
import { createWaiters } from '../waiters.ts';

/** What was fetched of a partition and is not handled yet. */
export interface PartitionQueue extends PartitionCursor {
  /**
   * Takes in what was fetched; false when it is not known to follow what came before, and has to be fetched again. Over a rebalance
   * kafkajs hands over what it fetched for its former generation: that may lie beyond messages that nobody has handled. So a beginning,
   * or a gap, is believed when two fetches in a row begin there: the group's position stays where it is, a stray fetch does not come twice.
   */
  push(fetched: Fetched): boolean;
}

/** One fetch: its messages, the offset of its first, and the one after its last. */
export interface Fetched {
  messages: readonly BusMessage[];
  from: number;
  next: number;
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
  let received: number | undefined;
  let suspected: number | undefined;
  // The client remembers a pause for a partition that was lost meanwhile.
  hooks.setPaused(false);
  const waiters = createWaiters();
  const setPaused = (wanted: boolean) => {
    if (paused === wanted) return;
    paused = wanted;
    hooks.setPaused(wanted);
  };
  const take = (from: number, bounds: { maxMessages: number; maxBytes: number }): Taken => {
    const taken: Taken = { messages: [], bytes: 0, next: from, releases: [] };
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
    push({ messages, from, next }) {
      if ((received === undefined || from > received) && from !== suspected) {
        suspected = from;
        return false;
      }
      suspected = undefined;
      received = Math.max(received ?? next, next);
      const end = Math.max(position, Number(entries.at(-1)?.offset ?? -1n) + 1);
      for (const message of messages) {
        if (message.offset < end) continue;
        entries.push(message);
        bytes += message.value.length + 100;
      }
      setPaused(bytes > PAUSE_BYTES);
      waiters.wakeAll();
      return true;
    },
    commit(next) {
      position = next;
      const kept = entries.findIndex((message) => message.offset >= next);
      entries = kept < 0 ? [] : entries.slice(kept);
      bytes = entries.reduce((sum, message) => sum + message.value.length + 100, 0);
      if (bytes < PAUSE_BYTES / 2) setPaused(false);
      hooks.committed(next);
    },
  };
}
