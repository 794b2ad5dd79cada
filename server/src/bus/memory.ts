import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import { AppError, type TenantId } from '#kernel';
import type { PartitionCursor, Taken } from './deliver.ts';
import { checkMessages, holdsTooMuch, overShare, unavailable } from './message-bounds.ts';
import { hashTenant, LOCAL_PARTITIONS } from './partition.ts';
import type { Pause } from './pause.ts';
import type { Bus, BusMessage, OutgoingMessage } from './port.ts';
import { createSubscriptions, type SubscriptionParts } from './subscriptions.ts';
import { createWaiters, type Waiters } from './waiters.ts';

export interface MemoryBusOptions {
  log: FastifyBaseLogger;
  /** Bytes kept over all topics before `publish` is refused; 64 MiB unless told. */
  maxBytes?: number;
  /** Between tries of what failed. */
  pause?: Pause;
}

interface Partition {
  messages: BusMessage[];
  /** Offset of the first message kept. */
  first: number;
  positions: Map<string, number>;
  waiters: Waiters;
}

const sizeOf = (message: OutgoingMessage): number => message.value.length + message.tenant.length + 64;

const createPartition = (): Partition => ({ messages: [], first: 0, positions: new Map(), waiters: createWaiters() });

interface Memory {
  topics: Map<Topic, Partition[]>;
  subscribed: Set<string>;
  bytes: number;
  bytesOf: Map<TenantId, number>;
  closed: boolean;
}

function partitionsOf(memory: Memory, topic: Topic): Partition[] {
  const known = memory.topics.get(topic) ?? Array.from({ length: LOCAL_PARTITIONS }, createPartition);
  memory.topics.set(topic, known);
  return known;
}

function count(memory: Memory, tenant: TenantId, bytes: number): void {
  memory.bytes += bytes;
  memory.bytesOf.set(tenant, (memory.bytesOf.get(tenant) ?? 0) + bytes);
}

function trim(memory: Memory, partition: Partition): void {
  const slowest = Math.min(...partition.positions.values());
  if (!Number.isFinite(slowest) || slowest <= partition.first) return;
  const gone = partition.messages.splice(0, slowest - partition.first);
  partition.first = slowest;
  for (const message of gone) count(memory, message.tenant, -sizeOf(message));
}

function append(memory: Memory, partition: Partition, message: OutgoingMessage): void {
  const offset = BigInt(partition.first + partition.messages.length);
  const kept = { tenant: message.tenant, value: Buffer.from(message.value), headers: { ...message.headers }, offset };
  partition.messages.push(kept);
  count(memory, kept.tenant, sizeOf(kept));
}

function takeFrom(partition: Partition, from: number, bounds: { maxMessages: number; maxBytes: number }): Taken {
  const messages: BusMessage[] = [];
  let bytes = 0;
  for (const message of partition.messages.slice(from - partition.first, from - partition.first + bounds.maxMessages)) {
    if (messages.length > 0 && bytes + message.value.length > bounds.maxBytes) break;
    messages.push({ ...message, value: Buffer.from(message.value) });
    bytes += message.value.length;
  }
  return { messages, bytes, next: from + messages.length, releases: [] };
}

function openCursor(memory: Memory, where: { topic: Topic; group: string; partition: number }): PartitionCursor {
  const partition = partitionsOf(memory, where.topic)[where.partition] as Partition;
  const position = () => partition.positions.get(where.group) ?? partition.first;
  partition.positions.set(where.group, position());
  return {
    ...where,
    position,
    take: async (from, bounds) => takeFrom(partition, from, bounds),
    waitForMore: async (from, signal) => {
      if (from >= partition.first + partition.messages.length) await partition.waiters.wait(signal);
    },
    commit(next) {
      partition.positions.set(where.group, next);
      trim(memory, partition);
    },
  };
}

function openParts(memory: Memory, topic: Topic, group: string): SubscriptionParts {
  const key = `${group} ${topic}`;
  if (memory.closed) throw unavailable('The bus is closing.', 5);
  if (memory.subscribed.has(key)) throw new AppError('conflict', `The group ${group} already reads ${topic} in this process.`);
  memory.subscribed.add(key);
  const partitions = partitionsOf(memory, topic);
  const cursors = partitions.map((_, partition) => openCursor(memory, { topic, group, partition }));
  const ends = () => partitions.reduce((sum, partition) => sum + partition.first + partition.messages.length, 0);
  return {
    cursors,
    lag: () => ends() - cursors.reduce((sum, cursor) => sum + cursor.position(), 0),
    closed: async () => void memory.subscribed.delete(key),
  };
}

/** The small bus for tests: nothing outlives the process. Messages that every group has handled are let go. */
export function createMemoryBus(options: MemoryBusOptions): Bus {
  const { maxBytes = 64 * 1024 * 1024 } = options;
  const memory: Memory = { topics: new Map(), subscribed: new Set(), bytes: 0, bytesOf: new Map(), closed: false };
  const subscriptions = createSubscriptions(options);
  return {
    kind: 'memory',
    async publish(topic, messages) {
      checkMessages(messages);
      if (memory.closed) throw unavailable('The bus is closing.', 5);
      const partitions = partitionsOf(memory, topic);
      const added = messages.reduce((sum, message) => sum + sizeOf(message), 0);
      if (memory.bytes + added > maxBytes) throw unavailable('The bus is full: its consumers are behind.', 5);
      const free = maxBytes - memory.bytes - added;
      if (messages.some(({ tenant }) => holdsTooMuch(memory.bytesOf.get(tenant) ?? 0, free))) throw overShare();
      for (const message of messages)
        append(memory, partitions[hashTenant(message.tenant) % partitions.length] as Partition, message);
      for (const partition of partitions) partition.waiters.wakeAll();
    },
    subscribe: (wanted, handler) =>
      subscriptions.open(wanted, handler, async () => openParts(memory, wanted.topic, wanted.group)),
    health: async () => subscriptions.failures.health(),
    async close() {
      memory.closed = true;
      await subscriptions.closeAll();
    },
  };
}
