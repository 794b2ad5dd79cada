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

/**
 * Why a message was set aside: the store refused it, the handler failed on it or took too long for it; it was not examined because its tenant
 * had sent too many such messages; or its handler found that it is not what its topic carries.
 */
export const SET_ASIDE_REASONS = ['refused', 'failed', 'timed_out', 'not_examined', 'not_otlp', 'not_a_result'] as const;
export type SetAsideReason = (typeof SET_ASIDE_REASONS)[number];

/** A message that its group does not get again, with all that is needed to publish it once more. */
export interface SetAsideMessage extends Pick<BusMessage, 'tenant' | 'value' | 'headers' | 'offset'> {
  topic: Topic;
  group: string;
  partition: number;
  reason: SetAsideReason;
  /** What the handler reported, for operators; it may quote the message. */
  error: string;
}

/** A message that was set aside, without its content, as a durable quarantine keeps and lists it. */
export interface QuarantineRow {
  id: string;
  topic: Topic;
  consumer_group: string;
  bus_partition: number;
  bus_offset: string;
  reason: SetAsideReason;
  error: string;
  bytes: number;
  set_aside_at: Date;
  expires_at: Date;
  /** When it is published again at the earliest; later than it was asked for once that has failed. */
  retry_at: Date | null;
}

/**
 * Where messages go that a group cannot handle. `put` resolves when they are durable; a message that it has already (the same bytes at the same
 * place) changes nothing, so that a crash between `put` and the commit doubles nothing. When it rejects, the partition waits and tries again.
 * The values are not changed until it settles.
 */
export interface Quarantine {
  put(messages: readonly SetAsideMessage[]): Promise<void>;
}

/** Consecutive messages of one partition, in order of publication within a tenant; fewer while one at fault is looked for. */
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
  /**
   * Sets messages of this batch aside instead of handling them; await it before the handler resolves. Values are copied before it returns.
   * Left out where the subscription has no quarantine.
   */
  setAside?: (messages: readonly BusMessage[], reason: SetAsideReason) => Promise<void>;
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
  /** Where messages go on which the handler always fails; without one they come again for ever. */
  quarantine?: Quarantine;
  /**
   * Resolves when the store behind the handler takes a small write that is known to be good. Nothing is set aside unless it resolved after
   * each failure that counts. Left out where a handler has no store.
   */
  probe?: () => Promise<void>;
  /**
   * How long a partition may search for messages at fault at once, milliseconds; then more of a tenant of which several were found are set
   * aside unexamined. Others of the partition wait meanwhile. Default: 2000.
   */
  searchMs?: number;
}

/**
 * Called with one batch of a partition at a time (partitions may run side by side). When it resolves, the batch is stored for good
 * and is not delivered again to this group; when it rejects, the same messages come again after a pause, possibly cut differently.
 * A batch may also come again after a crash or a rebalance: handlers are idempotent.
 *
 * What it rejects with says whose fault it is. AppError `unavailable`, `writer_unavailable`, `rate_limited` and `conflict` are never a
 * message's: the store is away, full or busy, or the partition is another process's by now. The messages wait for as long as that lasts.
 * `too_large` is a store short of memory: the batch is divided, and a message alone waits as well.
 * Anything else may be a message's. After three such failures the batch is divided, by tenant first, until the messages at fault are alone;
 * one that then fails three times, while the store proves each time that it is well, is set aside in the quarantine, and the rest goes on.
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
   * when the bound is reached, a tenant of the call has its share of it, or the bus does not answer within its deadline; some of the
   * messages may then still be published. What a tenant's share is on Kafka are the broker's quotas.
   * A message over MAX_MESSAGE_BYTES or with headers over MAX_HEADER_BYTES is `too_large`, and nothing of the call is published.
   */
  publish(topic: Topic, messages: readonly OutgoingMessage[]): Promise<void>;
  subscribe(options: SubscribeOptions, handler: BatchHandler): Promise<Subscription>;
  health(): Promise<Health>;
  /** Stops subscriptions, flushes what is accepted, lets go of files and sockets. */
  close(): Promise<void>;
}
