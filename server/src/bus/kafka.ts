import { setTimeout as sleep } from 'node:timers/promises';
import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { Admin, Kafka } from 'kafkajs';
import { AppError, type Health } from '#kernel';
import { withDeadline } from './deadline.ts';
import { createFailures, type Failures } from './failures.ts';
import { createKafka, type KafkaAddress } from './kafka/connection.ts';
import { openReader, type Reader } from './kafka/consumer.ts';
import { createSender, type Sender } from './kafka/producer.ts';
import { ensureTopic } from './kafka/topics.ts';
import { batchBounds, type CheckedMessage, checkMessages, unavailable } from './message-bounds.ts';
import { hashTenant } from './partition.ts';
import type { BatchHandler, Bus, OutgoingMessage, Quarantine, SubscribeOptions, Subscription } from './port.ts';

export interface KafkaBusOptions extends KafkaAddress {
  log: FastifyBaseLogger;
  /** Made or checked before the bus is given out. */
  topics?: readonly Topic[];
  /** Partitions of the topics we make; 12 unless told. */
  partitions?: number;
  /** A publish that is not acknowledged after this long is refused; 10 s unless told. */
  deadlineMs?: number;
  /** How long a small batch waits for company; 5 ms unless told. */
  lingerMs?: number;
  /** Idempotent producers side by side; 2 unless told. */
  producers?: number;
  sessionTimeoutMs?: number;
}

const HEALTH_MS = 3000;

interface KafkaBus {
  options: KafkaBusOptions;
  kafka: Kafka;
  admin: Admin;
  senders: Sender[];
  failures: Failures;
  /** Number of partitions by topic. */
  topics: Map<Topic, Promise<number>>;
  readers: Set<Reader>;
  subscribed: Set<string>;
  closed: boolean;
}

const named = (bus: KafkaBus): string => bus.options.brokers.join(', ');

function partitionsOf(bus: KafkaBus, topic: Topic): Promise<number> {
  const known = bus.topics.get(topic);
  if (known) return known;
  const found = ensureTopic(bus.admin, topic, { partitions: bus.options.partitions ?? 12, log: bus.options.log });
  bus.topics.set(topic, found);
  found.catch(() => bus.topics.delete(topic));
  return found;
}

async function publish(bus: KafkaBus, topic: Topic, messages: readonly OutgoingMessage[]): Promise<void> {
  const checked = checkMessages(messages);
  if (bus.closed) throw unavailable('The bus is closing.', 5);
  if (checked.length === 0) return;
  const late = () => unavailable('The bus did not store the messages in time.', 5);
  const count = await withDeadline(partitionsOf(bus, topic), bus.options.deadlineMs ?? 10_000, late);
  const byPartition = new Map<number, CheckedMessage[]>();
  for (const message of checked) {
    const partition = hashTenant(message.tenant) % count;
    const list = byPartition.get(partition) ?? [];
    byPartition.set(partition, list);
    list.push(message);
  }
  await Promise.all(
    [...byPartition].map(([partition, list]) =>
      (bus.senders[partition % bus.senders.length] as Sender).send(topic, partition, list),
    ),
  );
}

/** So for a moment where a partition was just made or has a new leader; the client itself gives up at once. */
const isLeaderMissing = (error: unknown): boolean =>
  ['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE'].includes(String(Reflect.get(Object(error), 'type')));

async function fetchEnds(bus: KafkaBus, topic: Topic, tries = 5): ReturnType<KafkaBus['admin']['fetchTopicOffsets']> {
  try {
    return await bus.admin.fetchTopicOffsets(topic);
  } catch (error) {
    if (tries <= 1 || !isLeaderMissing(error)) throw error;
    await sleep(200);
    return await fetchEnds(bus, topic, tries - 1);
  }
}

/** Messages behind the group's committed positions, over all its members. */
async function lagOf(bus: KafkaBus, topic: Topic, group: string): Promise<number> {
  const [ends, committed] = await Promise.all([
    fetchEnds(bus, topic),
    bus.admin.fetchOffsets({ groupId: group, topics: [topic] }),
  ]);
  const positions = new Map(committed.flatMap((each) => each.partitions.map((at) => [at.partition, Number(at.offset)] as const)));
  return ends.reduce((sum, { partition, low, high }) => {
    const position = positions.get(partition) ?? -1;
    return sum + Number(high) - Math.max(position, Number(low));
  }, 0);
}

async function subscribe(bus: KafkaBus, wanted: SubscribeOptions, handler: BatchHandler): Promise<Subscription> {
  batchBounds(wanted);
  const key = `${wanted.group} ${wanted.topic}`;
  if (bus.closed) throw unavailable('The bus is closing.', 5);
  if (bus.subscribed.has(key))
    throw new AppError('conflict', `The group ${wanted.group} already reads ${wanted.topic} in this process.`);
  bus.subscribed.add(key);
  try {
    await partitionsOf(bus, wanted.topic);
    const { kafka, failures } = bus;
    const { log, sessionTimeoutMs = 10_000 } = bus.options;
    // A group of Kafka has one set of members: each topic gets its own, or every change of one would stop the others.
    const group = `${wanted.group}.${wanted.topic}`;
    const { quarantine } = wanted;
    // Told by its own name, not by Kafka's.
    const ownName = quarantine && {
      quarantine: {
        put: (messages) => quarantine.put(messages.map((one) => ({ ...one, group: wanted.group }))),
      } satisfies Quarantine,
    };
    const reader = await openReader({ kafka, failures, log, sessionTimeoutMs }, { ...wanted, group, ...ownName }, handler);
    bus.readers.add(reader);
    return {
      lag: () => lagOf(bus, wanted.topic, group),
      async close() {
        await reader.close();
        bus.readers.delete(reader);
        bus.subscribed.delete(key);
      },
    };
  } catch (err) {
    bus.subscribed.delete(key);
    throw err;
  }
}

async function healthOfKafka(bus: KafkaBus): Promise<Health> {
  const fault = bus.senders.map((sender) => sender.fault()).find((each) => each !== undefined);
  if (fault !== undefined) return { status: 'failed', detail: fault };
  try {
    await withDeadline(bus.admin.describeCluster(), HEALTH_MS, () => new Error(`no answer within ${HEALTH_MS} ms`));
  } catch (err) {
    return { status: 'failed', detail: `Kafka at ${named(bus)} does not answer: ${(err as Error).message}` };
  }
  return bus.failures.health();
}

async function closeBus(bus: KafkaBus): Promise<void> {
  if (bus.closed) return;
  bus.closed = true;
  await Promise.all([...bus.readers].map((reader) => reader.close()));
  await Promise.all(bus.senders.map((sender) => sender.close()));
  await bus.admin.disconnect();
}

/** Why the cluster cannot be reached, in words that name it. */
async function connect(bus: KafkaBus, trouble: () => string): Promise<void> {
  const deadlineMs = bus.options.deadlineMs ?? 10_000;
  const failed = (err: unknown) => unavailable(`Kafka at ${named(bus)} cannot be used: ${(err as Error).message}`, 5, err);
  try {
    await withDeadline(bus.admin.connect(), deadlineMs, () => new Error(`no answer within ${deadlineMs} ms. ${trouble()}`));
  } catch (err) {
    bus.admin.disconnect().catch(() => {});
    throw failed(err);
  }
}

/** The bus of a fleet, over an Apache Kafka cluster. Rejects with `unavailable`, naming the brokers, when they do not answer in time. */
export async function createKafkaBus(options: KafkaBusOptions): Promise<Bus> {
  const { log, deadlineMs = 10_000, lingerMs = 5, producers = 2 } = options;
  let trouble = '';
  const kafka = createKafka(options, log, (words) => {
    trouble = words;
  });
  const sender = () => createSender({ kafka, log, lingerMs, deadlineMs, brokers: options.brokers.join(', ') });
  const bus: KafkaBus = {
    options,
    kafka,
    admin: kafka.admin(),
    senders: [],
    failures: createFailures(),
    topics: new Map(),
    readers: new Set(),
    subscribed: new Set(),
    closed: false,
  };
  await connect(bus, () => trouble);
  try {
    for (const topic of options.topics ?? []) await partitionsOf(bus, topic);
  } catch (err) {
    await bus.admin.disconnect();
    throw err;
  }
  bus.senders = Array.from({ length: producers }, sender);
  return {
    kind: 'kafka',
    publish: (topic, messages) => publish(bus, topic, messages),
    subscribe: (wanted, handler) => subscribe(bus, wanted, handler),
    health: () => healthOfKafka(bus),
    close: () => closeBus(bus),
  };
}
