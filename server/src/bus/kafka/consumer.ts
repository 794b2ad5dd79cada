import { setImmediate as afterJoining } from 'node:timers/promises';
import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import kafkajs, {
  type Consumer,
  type EachBatchPayload,
  type IHeaders,
  type Kafka,
  type KafkaMessage,
  type PartitionAssigner,
} from 'kafkajs';
import { isTenantId } from '#kernel';
import { endsWithin } from '../deadline.ts';
import type { Failures } from '../failures.ts';
import { batchBounds } from '../message-bounds.ts';
import { backoffMs, pause } from '../pause.ts';
import type { BatchHandler, BusMessage, SubscribeOptions } from '../port.ts';
import { guards } from '../subscriptions.ts';
import { type Assignment, createAssignment } from './assignment.ts';
import { type Committer, createCommitter } from './committer.ts';

export interface ReaderOptions {
  kafka: Kafka;
  log: FastifyBaseLogger;
  failures: Failures;
  sessionTimeoutMs: number;
}

/** A group's reader of one topic in this process, rebuilt whenever the client gives up. */
export interface Reader {
  close(): Promise<void>;
}

// kafkajs is CommonJS whose names Node cannot see from an import.
const { PartitionAssigners } = kafkajs;

/** Longest that joining may take, and that a member may stay without a heartbeat before it is built anew, milliseconds. */
const JOIN_MS = 30_000;
const CLOSE_MS = 30_000;
/** A member that was last seen longer ago than this may have missed a generation in which others handled what it still holds. */
const UNSEEN_MS = 2500;
/** Requests by which the group knows that a member is there. */
const MEMBERSHIP: ReadonlySet<string> = new Set(['Heartbeat', 'SyncGroup']);

interface State extends ReaderOptions {
  topic: Topic;
  group: string;
  consumer: Consumer | undefined;
  assignment: Assignment;
  committer: Committer;
  closing: AbortController;
  rebuilding: boolean;
  /** Why the client ended; also while it is built anew, when a try to join ends like this. */
  crash: Error | undefined;
  /** Rebuilds since the group was last joined. */
  rebuilds: number;
  /** Until then a heartbeat or a join has to be seen: a client that only looks alive is built anew. */
  aliveUntil: number;
  memberId: string;
  /** When the last heartbeat was sent, and until when the group therefore gives our partitions to nobody else (Unix ms); 0 while it deals them anew. */
  heartbeatSentAt: number;
  /** When it was sent by which the group last saw us as a member of the generation that we know (Unix ms). */
  seenAt: number;
  memberUntil: number;
  /** From the request to join to the word of what we were given. */
  joining: boolean;
}

const readerName = (state: State): string => `the connection of ${state.group} to ${state.topic}`;

function textHeaders(headers: IHeaders | undefined): Record<string, string> {
  const texts = Object.entries(headers ?? {}).map(([name, value]) => [
    name,
    String(Array.isArray(value) ? value[0] : (value ?? '')),
  ]);
  return Object.fromEntries(texts);
}

/** A message without a tenant's name as its key belongs to nobody: it is counted and never delivered. */
function toMessage(state: State, message: KafkaMessage): BusMessage | undefined {
  const tenant = message.key?.toString() ?? '';
  if (isTenantId(tenant) && message.value)
    return { tenant, value: message.value, headers: textHeaders(message.headers), offset: BigInt(message.offset) };
  state.log.warn({ topic: state.topic, offset: message.offset }, 'bus: a message without a tenant as its key is left out');
  return undefined;
}

/** Ends earlier than the broker's session by what its clock and ours may differ in pace, and by what a write needs to get there. */
const prolong = (state: State): void => {
  state.seenAt = state.heartbeatSentAt;
  state.memberUntil = state.heartbeatSentAt + 0.8 * state.sessionTimeoutMs;
};

/** Hands over to the partition's queue and returns at once, so that the client's heartbeats never wait for a handler. */
async function takeIn(state: State, { batch, resolveOffset }: EachBatchPayload): Promise<void> {
  // Between its new offsets and its word of them the client yields to promises only.
  await afterJoining();
  const messages = batch.messages.map((message) => toMessage(state, message)).filter((message) => message !== undefined);
  const from = Number(batch.firstOffset());
  const taken = state.assignment.queueOf(batch.partition)?.push({ messages, from, next: Number(batch.lastOffset()) + 1 });
  if (taken) resolveOffset(batch.lastOffset());
}

function onJoin(state: State, memberId: string, assigned: Record<string, number[]>): void {
  // A new member: the old one was thrown out, and others may have had its partitions meanwhile.
  if (memberId !== state.memberId || Date.now() - state.seenAt > UNSEEN_MS) state.assignment.set([]);
  state.memberId = memberId;
  state.joining = false;
  prolong(state);
  state.rebuilds = 0;
  state.aliveUntil = Date.now() + 2 * state.sessionTimeoutMs;
  state.failures.forget(readerName(state));
  state.assignment.set(assigned[state.topic] ?? []);
  state.committer.forget(state.assignment.owns);
}

/** Deals partitions in turns, and tells of every request to join: kafkajs has no event for those that a fetch began. */
const toldOfJoining =
  (onJoining: () => void): PartitionAssigner =>
  (config) => {
    const assigner = PartitionAssigners.roundRobin(config);
    const protocol: typeof assigner.protocol = (subscription) => {
      onJoining();
      return assigner.protocol(subscription);
    };
    return { ...assigner, protocol };
  };

function createConsumer(state: State): Consumer {
  const dealAnew = () => {
    state.memberUntil = 0;
    state.joining = true;
    state.aliveUntil = Date.now() + JOIN_MS + state.sessionTimeoutMs;
  };
  const consumer = state.kafka.consumer({
    groupId: state.group,
    sessionTimeout: state.sessionTimeoutMs,
    heartbeatInterval: 1000,
    rebalanceTimeout: JOIN_MS,
    partitionAssigners: [toldOfJoining(dealAnew)],
    // Compressed bytes: what they unfold to is several times as much. A larger batch is read all the same.
    maxBytes: 4 * 1024 * 1024,
    maxBytesPerPartition: 512 * 1024,
    maxWaitTimeInMs: 500,
    allowAutoTopicCreation: false,
    // Every end of the client's loop comes to us as CRASH; it never restarts behind our back.
    retry: { restartOnFailure: async () => false },
  });
  const alive = () => {
    state.aliveUntil = Date.now() + 2 * state.sessionTimeoutMs;
  };
  consumer.on(consumer.events.REQUEST, ({ payload }) => {
    // Of when it was sent: the answer may have waited for us for long.
    if (state.consumer === consumer && MEMBERSHIP.has(payload.apiName)) state.heartbeatSentAt = payload.sentAt;
  });
  consumer.on(consumer.events.HEARTBEAT, () => {
    alive();
    // While it joins, the client's heartbeats are of a generation of which it does not know yet what it was given.
    if (state.consumer === consumer && !state.joining) prolong(state);
  });
  consumer.on(consumer.events.REBALANCING, dealAnew);
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    if (state.consumer === consumer) onJoin(state, payload.memberId, payload.memberAssignment);
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (state.consumer !== consumer) return;
    state.crash = payload.error;
    void rebuild(state, payload.error);
  });
  return consumer;
}

async function runConsumer(state: State): Promise<void> {
  const consumer = createConsumer(state);
  state.consumer = consumer;
  state.crash = undefined;
  state.aliveUntil = Date.now() + JOIN_MS + state.sessionTimeoutMs;
  await consumer.connect();
  await consumer.subscribe({ topic: state.topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: 4,
    eachBatch: (payload) => takeIn(state, payload),
  });
  // A join that failed is told as an event only.
  if (state.crash) throw state.crash;
}

/** A new consumer in place of a dead one, with a growing pause; what was not committed is read again. */
async function rebuild(state: State, cause: unknown): Promise<void> {
  if (state.rebuilding || state.closing.signal.aborted) return;
  state.rebuilding = true;
  for (let err = cause; err !== undefined && !state.closing.signal.aborted; ) {
    state.rebuilds++;
    state.log.warn(
      { err, topic: state.topic, group: state.group, rebuilds: state.rebuilds },
      'bus: a Kafka consumer is built anew',
    );
    state.failures.note(readerName(state), state.rebuilds);
    state.assignment.set([]);
    const dead = state.consumer;
    state.consumer = undefined;
    if (dead) await endsWithin(dead.disconnect(), 5000);
    await pause(backoffMs(state.rebuilds), state.closing.signal);
    if (state.closing.signal.aborted) break;
    err = await runConsumer(state).then(
      () => undefined,
      (failure: unknown) => failure,
    );
  }
  state.rebuilding = false;
}

function createState(options: ReaderOptions, wanted: SubscribeOptions, handler: BatchHandler): State {
  const { topic, group } = wanted;
  const committer = createCommitter({ topic, consumer: () => state.consumer, log: options.log });
  const pauseOrGoOn = (partition: number, paused: boolean) => {
    const target = [{ topic, partitions: [partition] }];
    if (paused) state.consumer?.pause(target);
    else state.consumer?.resume(target);
  };
  const assignment: Assignment = createAssignment({
    topic,
    group,
    bounds: batchBounds(wanted),
    handler,
    ...guards(wanted),
    failures: options.failures,
    log: options.log,
    isMember: () => Date.now() < state.memberUntil,
    hooksOf: (partition) => ({
      setPaused: (paused) => pauseOrGoOn(partition, paused),
      committed: (next) => {
        if (assignment.owns(partition)) committer.note(partition, next);
      },
    }),
  });
  const state: State = {
    ...options,
    topic,
    group,
    consumer: undefined,
    assignment,
    committer,
    closing: new AbortController(),
    rebuilding: false,
    crash: undefined,
    rebuilds: 0,
    aliveUntil: Date.now() + JOIN_MS,
    memberId: '',
    heartbeatSentAt: 0,
    seenAt: 0,
    memberUntil: 0,
    joining: false,
  };
  return state;
}

/** Joins the group; when that fails now it is tried again behind the caller's back, and health says so. */
export async function openReader(options: ReaderOptions, wanted: SubscribeOptions, handler: BatchHandler): Promise<Reader> {
  const state = createState(options, wanted, handler);
  await runConsumer(state).catch((err) => void rebuild(state, err));
  const watch = setInterval(() => {
    if (Date.now() > state.aliveUntil) void rebuild(state, new Error('the consumer has had no heartbeat for too long'));
  }, 1000);
  return {
    async close() {
      if (state.closing.signal.aborted) return;
      state.closing.abort();
      clearInterval(watch);
      const ended = await state.assignment.end(CLOSE_MS);
      if (!ended)
        options.log.warn({ topic: state.topic, group: state.group }, 'bus: a handler did not end in time and is left behind');
      await state.committer.flush(5000);
      const consumer = state.consumer;
      state.consumer = undefined;
      if (consumer) await endsWithin(consumer.disconnect(), 5000);
    },
  };
}
