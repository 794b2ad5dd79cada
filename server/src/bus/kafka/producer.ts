import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import kafkajs, { type Kafka, type Message, type Producer } from 'kafkajs';
import { endsWithin } from '../deadline.ts';
import { type CheckedMessage, unavailable } from '../message-bounds.ts';
import { BATCH_BYTES } from './topics.ts';

// kafkajs is CommonJS whose names Node cannot see from an import.
const { CompressionTypes } = kafkajs;

/** A batch of one partition goes out at this size without waiting, and never over half of what the broker takes. */
const READY_BYTES = 1024 * 1024;
const LARGEST_BYTES = BATCH_BYTES / 2;
const WAITING_BYTES = 64 * 1024 * 1024;
/** Framing of a record, and its keys' lengths, at most. */
const OVERHEAD_BYTES = 100;

/** One call's messages for one partition. */
interface Part {
  messages: Message[];
  bytes: number;
  since: number;
  resolve: () => void;
  reject: (err: unknown) => void;
}

/** One partition: what waits, and what is under way; one send at a time keeps its order. */
interface Lane {
  topic: Topic;
  partition: number;
  parts: Part[];
  bytes: number;
  flying: Part[];
  timer: NodeJS.Timeout | undefined;
}

export interface SenderOptions {
  kafka: Kafka;
  log: FastifyBaseLogger;
  lingerMs: number;
  deadlineMs: number;
  brokers: string;
}

/** One idempotent producer; what comes while a partition's send is under way goes with its next. */
export interface Sender {
  send(topic: Topic, partition: number, messages: readonly CheckedMessage[]): Promise<void>;
  /** Why nothing gets through at the moment. */
  fault(): string | undefined;
  close(): Promise<void>;
}

interface LiveProducer {
  producer: Producer;
  connected: Promise<void>;
  sends: number;
}

interface State extends SenderOptions {
  lanes: Map<string, Lane>;
  waitingBytes: number;
  live: LiveProducer | undefined;
  fault: string | undefined;
  closed: boolean;
}

function toRecord(message: CheckedMessage, partition: number): Message {
  const headers = message.headersJson ? { headers: JSON.parse(message.headersJson) } : {};
  return { key: message.tenant, value: message.value, partition, ...headers };
}

/** The next batch of a lane: whole parts up to the bound, at least one. */
function takeParts(lane: Lane): Part[] {
  const taken: Part[] = [];
  let bytes = 0;
  for (const part of lane.parts) {
    if (taken.length > 0 && bytes + part.bytes > LARGEST_BYTES) break;
    bytes += part.bytes;
    taken.push(part);
  }
  lane.parts.splice(0, taken.length);
  lane.bytes -= bytes;
  return taken;
}

function liveProducer(state: State): LiveProducer {
  if (state.live) return state.live;
  const producer = state.kafka.producer({ idempotent: true, maxInFlightRequests: 1, allowAutoTopicCreation: false });
  const connected = producer.connect();
  // Whoever sends next hears of a failure; here it only must not count as nobody's.
  connected.catch(() => {});
  state.live = { producer, connected, sends: 0 };
  return state.live;
}

/**
 * After a failed send the broker may or may not have used its sequence numbers. Given to other messages of the same count, they would
 * be taken for the old ones, acknowledged and dropped: so a producer that failed is never used again.
 */
function retire(state: State, live: LiveProducer): void {
  if (state.live === live) state.live = undefined;
}

/**
 * Exactly one partition a call: with several leaders in one call, kafkajs 2.2.4 keeps a broker's answer over a change of leaders, takes
 * it for the partitions that the broker has only just taken over, and reports success for messages that it never sent (seen in a test).
 */
async function sendParts(state: State, lane: Lane, parts: readonly Part[]): Promise<void> {
  const { topic, partition } = lane;
  const live = liveProducer(state);
  live.sends++;
  try {
    await live.connected;
    const messages = parts.flatMap((part) => part.messages);
    const answers = await live.producer.send({ topic, messages, acks: -1, compression: CompressionTypes.ZSTD });
    if (!answers.some((answer) => answer.partition === partition && answer.errorCode === 0))
      throw new Error('Kafka did not acknowledge');
    state.fault = undefined;
    for (const part of parts) part.resolve();
  } catch (err) {
    retire(state, live);
    state.fault = `Kafka at ${state.brokers} took no messages: ${(err as Error).message}`;
    state.log.error({ err, topic, partition }, 'bus: Kafka took no messages');
    for (const part of parts) part.reject(unavailable('The bus cannot store messages at the moment.', 5, err));
  } finally {
    live.sends--;
    if (live.sends === 0 && state.live !== live) void endsWithin(live.producer.disconnect(), 2000);
    for (const part of parts) state.waitingBytes -= part.bytes;
  }
}

async function sendLane(state: State, lane: Lane): Promise<void> {
  while (lane.parts.length > 0) {
    lane.flying = takeParts(lane);
    await sendParts(state, lane, lane.flying);
    lane.flying = [];
  }
}

function startSending(state: State, lane: Lane): void {
  clearTimeout(lane.timer);
  lane.timer = undefined;
  if (lane.flying.length === 0) void sendLane(state, lane);
}

/** Refuses who has waited too long; the send under way may still get through. */
function refuseLate(state: State, afterMs: number): void {
  const before = performance.now() - afterMs;
  const late = () => unavailable('The bus did not store the messages in time.', 5);
  for (const lane of state.lanes.values()) {
    for (const part of lane.flying) {
      if (part.since >= before) continue;
      part.reject(late());
      state.fault = `Kafka at ${state.brokers} has not answered within ${afterMs} ms.`;
    }
    const overdue = lane.parts.filter((part) => part.since < before);
    lane.parts = lane.parts.filter((part) => part.since >= before);
    for (const part of overdue) {
      part.reject(late());
      lane.bytes -= part.bytes;
      state.waitingBytes -= part.bytes;
    }
  }
}

/** Messages of one call cut to what a batch may hold. */
function* cutParts(messages: readonly CheckedMessage[], partition: number): Generator<{ messages: Message[]; bytes: number }> {
  let part = { messages: [] as Message[], bytes: 0 };
  for (const message of messages) {
    const bytes = message.value.length + message.tenant.length + message.headersBytes + OVERHEAD_BYTES;
    if (part.messages.length > 0 && part.bytes + bytes > LARGEST_BYTES) {
      yield part;
      part = { messages: [], bytes: 0 };
    }
    part.messages.push(toRecord(message, partition));
    part.bytes += bytes;
  }
  yield part;
}

function enqueue(state: State, lane: Lane, cut: { messages: Message[]; bytes: number }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  lane.parts.push({ ...cut, since: performance.now(), resolve, reject });
  lane.bytes += cut.bytes;
  state.waitingBytes += cut.bytes;
  if (lane.flying.length > 0) return promise;
  if (lane.bytes >= READY_BYTES) startSending(state, lane);
  else lane.timer ??= setTimeout(() => startSending(state, lane), state.lingerMs);
  return promise;
}

function laneOf(state: State, topic: Topic, partition: number): Lane {
  const key = `${topic}/${partition}`;
  const lane = state.lanes.get(key) ?? { topic, partition, parts: [], bytes: 0, flying: [], timer: undefined };
  state.lanes.set(key, lane);
  return lane;
}

/** A sender; the order of one partition holds as long as the partition keeps to one sender. */
export function createSender(options: SenderOptions): Sender {
  const state: State = { ...options, lanes: new Map(), waitingBytes: 0, live: undefined, fault: undefined, closed: false };
  const watch = setInterval(() => refuseLate(state, options.deadlineMs), Math.min(250, options.deadlineMs / 4));
  watch.unref();
  return {
    async send(topic, partition, messages) {
      if (state.closed) throw unavailable('The bus is closing.', 5);
      if (state.waitingBytes > WAITING_BYTES) throw unavailable('The bus has more waiting for Kafka than it can hold.', 1);
      const lane = laneOf(state, topic, partition);
      const before = performance.now() - options.deadlineMs;
      if (lane.flying.some((part) => part.since < before)) throw unavailable('The bus cannot store messages at the moment.', 5);
      await Promise.all([...cutParts(messages, partition)].map((cut) => enqueue(state, lane, cut)));
    },
    fault: () => state.fault,
    close: () => closeSender(state, watch),
  };
}

async function closeSender(state: State, watch: NodeJS.Timeout): Promise<void> {
  state.closed = true;
  for (const lane of state.lanes.values()) startSending(state, lane);
  const idle = () => [...state.lanes.values()].every((lane) => lane.flying.length === 0);
  for (const until = performance.now() + state.deadlineMs; !idle() && performance.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  clearInterval(watch);
  refuseLate(state, 0);
  if (state.live) await endsWithin(state.live.producer.disconnect(), 2000);
}
