import { join } from 'node:path';
import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import { AppError, type Health } from '#kernel';
import type { PartitionCursor } from './deliver.ts';
import { chooseFiles } from './log/block-file.ts';
import { appendMessages, makeRoom } from './log/commit.ts';
import { diskFiles, type LogFiles } from './log/files.ts';
import { createReadMemory } from './log/read-memory.ts';
import { type TakeRequest, takeMessages } from './log/reader.ts';
import { recordBytes } from './log/record.ts';
import { bytesOf, closeSegments, cutRemains } from './log/segments.ts';
import {
  type Budget,
  type Group,
  joinGroup,
  type LogSettings,
  openTopicLog,
  positionOf,
  type TopicLog,
  trimTail,
} from './log/topic-log.ts';
import { tryDisk } from './log/trial.ts';
import { saveGroup } from './log/trim.ts';
import { checkMessages, unavailable } from './message-bounds.ts';
import { LOCAL_PARTITIONS } from './partition.ts';
import type { Pause } from './pause.ts';
import type { Bus, SubscribeOptions } from './port.ts';
import { createSubscriptions, type SubscriptionParts, type Subscriptions } from './subscriptions.ts';

export interface LogBusOptions {
  /** The bus's own folder, `<data>/log`. One process at a time: the data directory's lock sees to that. */
  folder: string;
  log: FastifyBaseLogger;
  /** Disk bytes over all topics before `publish` is refused; 2 GiB unless told. */
  maxBytes?: number;
  /** Size of one file; 64 MiB, or less so that 16 fit into the bound. */
  segmentBytes?: number;
  /** Newest records of a topic kept in memory until they were read; 32 MiB unless told. */
  tailBytes?: number;
  /** A publish that is not durable after this long is refused; 10 s unless told. */
  deadlineMs?: number;
  /** A group not subscribed for this long no longer holds the log back; 7 days unless told. */
  groupTtlMs?: number;
  /** Between tries of what failed. */
  pause?: Pause;
  files?: LogFiles;
}

const SAVE_EVERY_MS = 200;
const SEEN_EVERY_MS = 3_600_000;
const NAME = /^[a-z0-9.-]{1,100}$/;
/** One tenant alone can hold half in one topic. */
const NEARLY_FULL = 0.45;

interface LogBus {
  folder: string;
  settings: LogSettings;
  budget: Budget;
  topics: Map<string, Promise<TopicLog>>;
  subscriptions: Subscriptions;
  closed: boolean;
}

function topicLog(bus: LogBus, topic: Topic): Promise<TopicLog> {
  if (bus.closed) return Promise.reject(unavailable('The bus is closing.', 5));
  const known = bus.topics.get(topic);
  if (known) return known;
  if (!NAME.test(topic))
    return Promise.reject(new AppError('validation', 'A topic is 1 to 100 characters of a-z, 0-9, "." and "-".'));
  const opening = openTopicLog({ topic, folder: join(bus.folder, topic), settings: bus.settings, budget: bus.budget });
  bus.topics.set(topic, opening);
  opening.then(
    (log) => {
      bus.budget.usedBytes += bytesOf(log.segments);
    },
    () => bus.topics.delete(topic),
  );
  return opening;
}

type HowToRead = Pick<TakeRequest, 'partition' | 'lent' | 'checks'>;

function openCursor(log: TopicLog, group: Group, how: HowToRead): PartitionCursor {
  const { partition } = how;
  return {
    topic: log.topic,
    group: group.name,
    partition,
    position: () => group.positions[partition] as number,
    async take(from, { again, ...bounds }) {
      const taken = await takeMessages(log, { ...how, checks: how.checks && !again, from, ...bounds });
      group.reads[partition] = taken.next;
      trimTail(log);
      return taken;
    },
    async waitForMore(from, signal) {
      if (from >= (log.lastEnd[partition] as number)) await log.waiters[partition]?.wait(signal);
    },
    commit(next, messages) {
      group.positions[partition] = next;
      (group.seen[partition] as number) += messages;
      group.dirty = true;
    },
  };
}

async function openParts(
  bus: LogBus,
  { topic, group: name, lent = false, checks = false }: SubscribeOptions,
): Promise<SubscriptionParts> {
  const log = await topicLog(bus, topic);
  const group = await joinGroup(log, name);
  if (group.subscribed) throw new AppError('conflict', `The group ${name} already reads ${topic} in this process.`);
  group.subscribed = true;
  group.reads = [...group.positions];
  group.dirty = true;
  await saveGroup(log, group);
  let saving = Promise.resolve();
  const timer = setInterval(() => {
    // The idle partitions of a busy topic move on too, or they would hold its files.
    group.dirty ||= log.settings.now() - group.seenMs > SEEN_EVERY_MS;
    group.dirty ||= group.savedFloor < Math.min(...group.positions.map((_, partition) => positionOf(log, group, partition)));
    saving = saving.then(() => saveGroup(log, group));
  }, SAVE_EVERY_MS);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    cursors: Array.from({ length: LOCAL_PARTITIONS }, (_, partition) => openCursor(log, group, { partition, lent, checks })),
    lag: () => sum(log.counts) - sum(group.seen),
    async closed() {
      clearInterval(timer);
      await saving;
      group.dirty = true;
      await saveGroup(log, group);
      group.subscribed = false;
    },
  };
}

async function openLogs(bus: LogBus): Promise<TopicLog[]> {
  const settled = await Promise.allSettled(bus.topics.values());
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

async function healthOfLog(bus: LogBus): Promise<Health> {
  const logs = await openLogs(bus);
  const faulty = logs.filter((log) => log.fault !== undefined);
  for (const log of faulty) void tryDisk(log);
  const fault = faulty[0]?.fault;
  if (fault !== undefined) return { status: 'failed', detail: fault };
  const { usedBytes, maxBytes } = bus.budget;
  if (usedBytes > maxBytes * NEARLY_FULL)
    return { status: 'degraded', detail: `The bus holds ${usedBytes} of at most ${maxBytes} bytes: its consumers are behind.` };
  const damaged = logs.filter((log) => log.damagedBytes > 0).map((log) => `${log.damagedBytes} bytes of ${log.topic}`);
  if (damaged.length > 0)
    return { status: 'degraded', detail: `The disk gave back damaged data: ${damaged.join(', ')} skipped.` };
  return bus.subscriptions.failures.health();
}

async function closeLog(log: TopicLog): Promise<void> {
  const until = Date.now() + log.settings.deadlineMs;
  while (log.writing && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
  // Not behind a disk that hangs.
  if (!log.writing) await cutRemains(log.segments).catch(() => undefined);
  for (const group of log.groups.values()) await group.file.close();
  await closeSegments(log.segments);
}

/** Opens the topics that are there. */
async function openFolder(bus: LogBus): Promise<void> {
  const { files, readMemory } = bus.settings;
  try {
    await files.makeFolder(bus.folder);
    bus.settings.recordFiles = await chooseFiles(files, bus.folder, readMemory);
    for (const name of await files.list(bus.folder)) if (NAME.test(name)) await topicLog(bus, name as Topic);
  } catch (err) {
    throw unavailable(`The bus cannot use its folder ${bus.folder}: ${(err as Error).message}`, 5, err);
  }
}

/** The embedded bus: a durable segmented log on disk for one process. Opens existing topics at once, so that health is true. */
export async function createLogBus(options: LogBusOptions): Promise<Bus> {
  const { folder, log, files = diskFiles, maxBytes = 2 * 1024 ** 3, tailBytes = 32 * 1024 * 1024 } = options;
  const { segmentBytes = Math.min(64 * 1024 * 1024, maxBytes / 16), deadlineMs = 10_000, groupTtlMs = 7 * 86_400_000 } = options;
  const readMemory = createReadMemory();
  const settings: LogSettings = {
    files,
    recordFiles: files,
    log,
    segmentBytes,
    tailBytes,
    deadlineMs,
    groupTtlMs,
    now: Date.now,
    readMemory,
  };
  const budget: Budget = { maxBytes, usedBytes: 0, unread: [] };
  const bus: LogBus = { folder, settings, budget, topics: new Map(), subscriptions: createSubscriptions(options), closed: false };
  await openFolder(bus);
  return {
    kind: 'log',
    async publish(topic, messages) {
      const checked = checkMessages(messages);
      const bytes = checked.reduce((sum, message) => sum + recordBytes(message), 0);
      const topicOf = await topicLog(bus, topic);
      if (bus.closed) throw unavailable('The bus is closing.', 5);
      if (bytes === 0) return;
      if (budget.usedBytes + bytes > maxBytes) for (const other of await openLogs(bus)) makeRoom(other);
      await appendMessages(topicOf, { messages: checked, bytes });
    },
    subscribe: (wanted, handler) => bus.subscriptions.open(wanted, handler, () => openParts(bus, wanted)),
    health: () => healthOfLog(bus),
    async close() {
      if (bus.closed) return;
      bus.closed = true;
      await bus.subscriptions.closeAll();
      for (const each of await openLogs(bus)) await closeLog(each);
    },
  };
}
