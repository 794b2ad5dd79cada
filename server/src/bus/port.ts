import type { Topic } from '@svc/contracts/bus-topics';
import type { Health, TenantId } from '#kernel';

/** Largest value of one message on every adapter: what fits in a Kafka batch of 8 MiB. */
export const MAX_MESSAGE_BYTES = 7 * 1024 * 1024;
/** Largest headers of one message, as JSON. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** The cause of a rejection of `publish` after which values may still be on their way to the disk: leave them alone for good. */
export const STILL_WRITING = new Error('The disk did not answer in time.');

/**
 * One message to publish. The value is kept by reference until the promise of `publish` resolves: do not change it. After a rejection with
 * the cause STILL_WRITING it may still be on its way to the disk.
 */
export interface OutgoingMessage {
  tenant: TenantId;
  value: Buffer;
  /** Small text headers, for example the receive time. */
  headers?: Readonly<Record<string, string>>;
  /** zlib's crc32 of the value, from who had the bytes in hand: an adapter that writes checksums then need not read them once more. */
  crc?: number;
}

export interface BusMessage {
  tenant: TenantId;
  /** The reader's own copy, but it may share its ArrayBuffer with other messages of the batch: do not transfer it. */
  value: Buffer;
  headers: Readonly<Record<string, string>>;
  /** Position within the partition; rises by at least one, never repeats for another message. */
  offset: bigint;
  /** What the handler has to look at itself, as it asked; left out where nothing is in doubt. */
  checksum?: Checksum;
}

/** A message is as it was published when zlib's crc32 of the value, begun with `seed`, is `crc`. */
export interface Checksum {
  seed: number;
  crc: number;
}

/** Consecutive messages of one partition, in order of publication within a tenant. */
export interface BusBatch {
  topic: Topic;
  partition: number;
  messages: readonly BusMessage[];
  /**
   * False while another process may have been given the partition: a handler whose writes would count twice begins none then. Left out
   * where only one process reads.
   */
  isOurs?: () => boolean;
  /** Lent memory may be used again from here on, before the handler ends: for one that has read all values for good. Also if it then fails. */
  release?: () => void;
}

export interface SubscribeOptions {
  topic: Topic;
  /** Each group reads every message at least once. A new group begins at the oldest message kept. */
  group: string;
  /** Bounds of one batch: it ends at whichever comes first. */
  maxMessages?: number;
  maxBytes?: number;
  /** How long to wait for more once something is there, milliseconds; 0 hands over at once. */
  lingerMs?: number;
  /**
   * Batches of one partition that may be with the handler at the same time, in order, where an adapter can: the next one is begun while
   * this one waits for its store. When one fails, those behind it are aborted and come again after it. Default: 1.
   */
  inFlight?: number;
  /**
   * The handler changes no value and keeps none beyond its promise: memory may then be lent, to others as well, and used again, where an
   * adapter can. Default: false.
   */
  lent?: boolean;
  /**
   * The handler looks at the checksums of messages that have one before it believes anything of them, and rejects where one is wrong; they
   * come again without what is damaged. In a thread that reads the values anyway that costs less. Default: false.
   */
  checks?: boolean;
}

/**
 * Called with one batch of a partition at a time (partitions may run side by side). When it resolves, the batch is stored for good
 * and is not delivered again to this group; when it rejects, the same messages come again after a pause, possibly cut differently.
 * A batch may also come again after a crash or a rebalance: handlers are idempotent.
 */
export type BatchHandler = (batch: BusBatch, signal: AbortSignal) => Promise<void>;

export interface Subscription {
  /** Messages published to the topic and not yet handled by this group, as far as this process knows. */
  lag(): Promise<number>;
  /** Stops after the running handlers. */
  close(): Promise<void>;
}

/**
 * The bus. Adapters: log.ts (durable segments on disk, one process), memory.ts (small, tests only), kafka.ts (a fleet);
 * bus.contract.ts runs on all.
 */
export interface Bus {
  readonly kind: 'log' | 'memory' | 'kafka';
  /**
   * Resolves when every message is durable (fdatasync, or acks=all). Rejects with AppError `unavailable` (with retryAfterSeconds)
   * when the bound is reached or the bus does not answer within its deadline; some of the messages may then still be published.
   * A message over MAX_MESSAGE_BYTES or with headers over MAX_HEADER_BYTES is `too_large`, and nothing of the call is published.
   */
  publish(topic: Topic, messages: readonly OutgoingMessage[]): Promise<void>;
  subscribe(options: SubscribeOptions, handler: BatchHandler): Promise<Subscription>;
  health(): Promise<Health>;
  /** Stops subscriptions, flushes what is accepted, lets go of files and sockets. */
  close(): Promise<void>;
}
