import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { CheckedMessage } from '../message-bounds.ts';
import { hashTenant, LOCAL_PARTITIONS } from '../partition.ts';
import { createWaiters, type Waiters } from '../waiters.ts';
import { createExtents, type Extents } from './extents.ts';
import type { LogFiles } from './files.ts';
import { type GroupPositions, openPositionFile, type PositionFile } from './position-file.ts';
import type { ReadMemory } from './read-memory.ts';
import { hashAt, recordBytes, tenantAt } from './record.ts';
import { recoverSegments } from './recover.ts';
import { activeOf, endOf, oldestOf, openSegments, type Segments } from './segments.ts';
import { createTail, type Tail } from './tail.ts';
import { createUnread, type Unread } from './unread.ts';

/** Disk bytes over all topics, waiting ones included. */
export interface Budget {
  maxBytes: number;
  usedBytes: number;
  /** Of each topic. */
  unread: Unread[];
}

export interface LogSettings {
  files: LogFiles;
  /** The same, as the files of records are opened. */
  recordFiles: LogFiles;
  log: FastifyBaseLogger;
  segmentBytes: number;
  /** Bytes of the newest records kept in memory for consumers that keep up, per topic. */
  tailBytes: number;
  /** A publish that is not durable after this long is refused, milliseconds. */
  deadlineMs: number;
  /** A group not subscribed for this long no longer holds the log back, milliseconds. */
  groupTtlMs: number;
  now: () => number;
  readMemory: ReadMemory;
}

/** One call of publish waiting for its commit. */
export interface Pending {
  messages: readonly CheckedMessage[];
  bytes: number;
  resolve: () => void;
  reject: (err: unknown) => void;
}

export interface Group {
  name: string;
  file: PositionFile;
  /** Per partition: everything below is handled. */
  positions: number[];
  /** Per partition: messages below the position, counted as `TopicLog.counts` are. */
  seen: number[];
  /** Per partition: everything below was read, though perhaps not handled. */
  reads: number[];
  /** What is durable of the positions; only this lets files go. */
  savedFloor: number;
  seenMs: number;
  subscribed: boolean;
  dirty: boolean;
}

/** One topic's log: its files, the newest records in memory, and how far each group has come. */
export interface TopicLog {
  readonly topic: Topic;
  readonly folder: string;
  readonly settings: LogSettings;
  readonly budget: Budget;
  readonly segments: Segments;
  readonly extents: Extents;
  readonly tail: Tail;
  readonly unread: Unread;
  /** Per partition: end of its newest record, and messages known since the oldest file at opening. */
  lastEnd: number[];
  counts: number[];
  /** The counts at the begin of each file, by its base. */
  countsAt: Map<number, number[]>;
  groups: Map<string, Group>;
  waiters: Waiters[];
  pending: Pending[];
  pendingBytes: number;
  writing: boolean;
  /** The running commit is over its deadline: nobody else queues behind it. */
  stalled: boolean;
  /** The bound was reached: make room as soon as the writer is free. */
  reclaimWanted: boolean;
  /** Why the last write failed or hangs; undefined while all is well. */
  fault: string | undefined;
  /** When the disk was last tried after a fault, by the monotonic clock. */
  triedMs: number;
  damagedBytes: number;
}

const zeros = (): number[] => Array.from({ length: LOCAL_PARTITIONS }, () => 0);

export const partitionOfHash = (hash: number): number => hash % LOCAL_PARTITIONS;
export const partitionOfTenant = (message: CheckedMessage): number => partitionOfHash(hashTenant(message.tenant));

/** Where the group stands in a partition; one without newer records stands at the end. */
export function positionOf(log: TopicLog, group: Group, partition: number): number {
  const position = group.positions[partition] as number;
  return position >= (log.lastEnd[partition] as number) ? Math.max(position, endOf(log.segments)) : position;
}

/** Where each group that is subscribed reads next. */
function readsOf(log: TopicLog): number[] {
  const end = endOf(log.segments);
  const nextOf = (read: number, partition: number): number =>
    read < (log.lastEnd[partition] as number) ? (log.extents.next(read, partition)?.base ?? end) : end;
  return [...log.groups.values()].filter(({ subscribed }) => subscribed).map(({ reads }) => Math.min(...reads.map(nextOf)));
}

/**
 * Lets go of what was read of the tail. False when nobody is near enough to read what comes from there: it would only push out what is
 * wanted first. A group that is further behind than the tail reaches does not hold it up for the others.
 */
export function trimTail(log: TopicLog): boolean {
  const reads = readsOf(log);
  const near = reads.filter((read) => endOf(log.segments) - read <= log.settings.tailBytes);
  log.tail.dropBelow(Math.min(...(near.length > 0 ? near : reads)));
  return near.length > 0;
}

/** Positions that fit this log: of the same partitions, within what is kept. */
function fitPositions(segments: Segments, saved: GroupPositions | undefined): number[] {
  const oldest = oldestOf(segments);
  const known = saved?.positions ?? [];
  // Another number of partitions cuts tenants differently: begin where the slowest was.
  const usable = known.length === LOCAL_PARTITIONS ? known : zeros().fill(known.length > 0 ? Math.min(...known) : oldest);
  return usable.map((position) => Math.min(Math.max(position, oldest), endOf(segments)));
}

async function openGroup(log: TopicLog, name: string): Promise<Group> {
  const file = await openPositionFile(log.settings.files, log.folder, `${name}.group`);
  const positions = fitPositions(log.segments, file.saved);
  const seenMs = file.saved?.seenMs ?? log.settings.now();
  const savedFloor = Math.min(...positions);
  return { name, file, positions, seen: zeros(), reads: zeros(), savedFloor, seenMs, subscribed: false, dirty: false };
}

/** The group, at the oldest message kept when it is new. */
export async function joinGroup(log: TopicLog, name: string): Promise<Group> {
  const known = log.groups.get(name);
  if (known) return known;
  const group = await openGroup(log, name);
  const again = log.groups.get(name);
  if (again) {
    await group.file.close();
    return again;
  }
  // The oldest file may have gone while the group's own was opened.
  group.positions = fitPositions(log.segments, group.file.saved);
  group.savedFloor = Math.min(...group.positions);
  group.seen = [...(log.countsAt.get(oldestOf(log.segments)) ?? zeros())];
  group.dirty = true;
  log.groups.set(name, group);
  return group;
}

/** Takes note of messages that have just become durable, one behind the other from `base` on; the partitions they belong to. */
export function noteMessages(log: TopicLog, messages: Iterable<CheckedMessage>, base: number): Set<number> {
  const touched = new Set<number>();
  let at = base;
  for (const message of messages) {
    const partition = partitionOfTenant(message);
    const end = at + recordBytes(message);
    log.extents.add(at, end, partition);
    log.lastEnd[partition] = end;
    (log.counts[partition] as number)++;
    touched.add(partition);
    at = end;
  }
  return touched;
}

async function recoverTopic(log: TopicLog): Promise<void> {
  const groups = [...log.groups.values()];
  const readBelow = zeros().map((_, partition) => Math.min(...groups.map(({ positions }) => positions[partition] as number)));
  const cut = await recoverSegments(log.segments, {
    beginSegment: (base) => log.countsAt.set(base, [...log.counts]),
    record: (chunk, at, length) => {
      const partition = partitionOfHash(hashAt(chunk, at));
      const position = chunk.base + at;
      log.extents.add(position, position + length, partition);
      log.lastEnd[partition] = position + length;
      (log.counts[partition] as number)++;
      if (groups.length === 0 || position >= (readBelow[partition] as number))
        log.unread.add(tenantAt(chunk, at), length, position);
      for (const group of groups) if (position < (group.positions[partition] as number)) (group.seen[partition] as number)++;
    },
    damaged: (bytes) => {
      log.damagedBytes += bytes;
    },
  });
  log.extents.reach(endOf(log.segments));
  const { base } = activeOf(log.segments);
  if (!log.countsAt.has(base)) log.countsAt.set(base, [...log.counts]);
  if (cut > 0)
    log.settings.log.warn(
      { topic: log.topic, bytes: cut },
      'bus: cut an unfinished end of the log; nothing acknowledged was in it',
    );
}

/** Opens or makes the topic's log, cuts its torn end and finds its groups. */
export async function openTopicLog(parts: {
  topic: Topic;
  folder: string;
  settings: LogSettings;
  budget: Budget;
}): Promise<TopicLog> {
  const { files, recordFiles, segmentBytes } = parts.settings;
  await files.makeFolder(parts.folder);
  const segments = await openSegments(recordFiles, parts.folder, segmentBytes);
  const log: TopicLog = {
    ...parts,
    segments,
    extents: createExtents(),
    tail: createTail(parts.settings.readMemory),
    unread: createUnread(parts.budget.maxBytes),
    lastEnd: zeros(),
    counts: zeros(),
    countsAt: new Map(),
    groups: new Map(),
    waiters: zeros().map(() => createWaiters()),
    pending: [],
    pendingBytes: 0,
    writing: false,
    stalled: false,
    reclaimWanted: false,
    fault: undefined,
    triedMs: Number.NEGATIVE_INFINITY,
    damagedBytes: 0,
  };
  for (const name of await files.list(parts.folder)) {
    if (name.endsWith('.group')) log.groups.set(name.slice(0, -6), await openGroup(log, name.slice(0, -6)));
  }
  await recoverTopic(log);
  for (const group of log.groups.values()) {
    group.positions = group.positions.map((position) => Math.min(position, endOf(segments)));
    group.savedFloor = Math.min(...group.positions);
  }
  log.budget.unread.push(log.unread);
  return log;
}
