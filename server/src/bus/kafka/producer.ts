import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import { CompressionTypes, type Kafka, type Message, type Producer } from 'kafkajs';
import { endsWithin } from '../deadline.ts';
import { type CheckedMessage, unavailable } from '../message-bounds.ts';
import { BATCH_BYTES } from './topics.ts';

/** A batch of one partition goes out at this size without waiting, and never over half of what the broker takes. */
const READY_BYTES = 1024 * 1024;
const LARGEST_BYTES = BATCH_BYTES / 2;
/** One request to the cluster; a broker takes 100 MB by default. */
const REQUEST_BYTES = 16 * 1024 * 1024;
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

interface Lane {
  topic: Topic;
  partition: number;
  parts: Part[];
  bytes: number;
}

export interface SenderOptions {
  kafka: Kafka;
  log: FastifyBaseLogger;
  lingerMs: number;
  deadlineMs: number;
  brokers: string;
}

/** One idempotent producer with one send in flight: what waits meanwhile goes with the next send, lane by lane. */
export interface Sender {
  send(topic: Topic, partition: number, messages: readonly CheckedMessage[]): Promise<void>;
  /** Why nothing gets through at the moment. */
  fault(): string | undefined;
  close(): Promise<void>;
}

interface State extends SenderOptions {
  lanes: Map<string, Lane>;
  waitingBytes: number;
  producer: Producer | undefined;
  sending: Promise<void> | undefined;
  timer: NodeJS.Timeout | undefined;
  flying: Part[];
  fault: string | undefined;
  closed: boolean;
}

function toRecord(message: CheckedMessage, partition: number): Message {
  const headers = message.headersJson ? { headers: JSON.parse(message.headersJson) } : {};
  return { key: message.tenant, value: message.value, partition, ...headers };
}

const keyOf = (lane: { topic: Topic; partition: number }): string => `${lane.topic}/${lane.partition}`;

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

function newProducer(state: State): Producer {
  return state.kafka.producer({ idempotent: true, maxInFlightRequests: 1, allowAutoTopicCreation: false });
}

/**
 * After a failed send its sequence numbers are unknown to us: sent again for other messages of the same count, the broker would take
 * them for the old ones, acknowledge and drop them. So a failed producer is never used again.
 */
async function renewProducer(state: State): Promise<void> {
  const old = state.producer;
  state.producer = undefined;
  if (old) await endsWithin(old.disconnect(), 2000);
}

async function sendBatch(state: State, batches: readonly { lane: Lane; parts: Part[] }[]): Promise<void> {
  const parts = batches.flatMap((batch) => batch.parts);
  state.flying = parts;
  try {
    if (!state.producer) {
      const producer = newProducer(state);
      await producer.connect();
      state.producer = producer;
    }
    const topicMessages = batches.map(({ lane, parts: own }) => ({
      topic: lane.topic,
      messages: own.flatMap((part) => part.messages),
    }));
    await state.producer.sendBatch({ acks: -1, compression: CompressionTypes.ZSTD, topicMessages });
    state.fault = undefined;
    for (const part of parts) part.resolve();
  } catch (err) {
    state.fault = `Kafka at ${state.brokers} took no messages: ${(err as Error).message}`;
    state.log.error({ err }, 'bus: Kafka took no messages');
    for (const part of parts) part.reject(unavailable('The bus cannot store messages at the moment.', 5, err));
    await renewProducer(state);
  } finally {
    for (const part of parts) state.waitingBytes -= part.bytes;
    state.flying = [];
  }
}

/** The next request: what is ready, the lanes that waited longest first. */
function takeRequest(state: State): { lane: Lane; parts: Part[] }[] {
  const request: { lane: Lane; parts: Part[] }[] = [];
  let bytes = 0;
  for (const lane of state.lanes.values()) {
    if (lane.parts.length === 0 || bytes > REQUEST_BYTES) continue;
    const parts = takeParts(lane);
    bytes += parts.reduce((sum, part) => sum + part.bytes, 0);
    request.push({ lane, parts });
  }
  // Served lanes go to the back of the map, so that none starves behind busy ones.
  for (const { lane } of request) {
    state.lanes.delete(keyOf(lane));
    state.lanes.set(keyOf(lane), lane);
  }
  return request;
}

async function sendWaiting(state: State): Promise<void> {
  for (let request = takeRequest(state); request.length > 0; request = takeRequest(state)) await sendBatch(state, request);
  state.sending = undefined;
}

function startSending(state: State): void {
  clearTimeout(state.timer);
  state.timer = undefined;
  state.sending ??= sendWaiting(state);
}

/** Refuses who has waited too long; the send under way may still get through. */
function refuseLate(state: State, afterMs: number): void {
  const before = performance.now() - afterMs;
  const late = () => unavailable('The bus did not store the messages in time.', 5);
  for (const part of state.flying) if (part.since < before) part.reject(late());
  if (state.flying.some((part) => part.since < before))
    state.fault = `Kafka at ${state.brokers} has not answered within ${state.deadlineMs} ms.`;
  for (const lane of state.lanes.values()) {
    const kept = lane.parts.filter((part) => part.since >= before);
    for (const part of lane.parts) {
      if (part.since >= before) continue;
      part.reject(late());
      lane.bytes -= part.bytes;
      state.waitingBytes -= part.bytes;
    }
    lane.parts = kept;
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
  if (state.sending) return promise;
  if (lane.bytes >= READY_BYTES) startSending(state);
  else state.timer ??= setTimeout(() => startSending(state), state.lingerMs);
  return promise;
}

function laneOf(state: State, topic: Topic, partition: number): Lane {
  const key = keyOf({ topic, partition });
  const lane = state.lanes.get(key) ?? { topic, partition, parts: [], bytes: 0 };
  state.lanes.set(key, lane);
  return lane;
}

/** A sender; the order of one partition holds as long as the partition keeps to one sender. */
export function createSender(options: SenderOptions): Sender {
  const state: State = {
    ...options,
    lanes: new Map(),
    waitingBytes: 0,
    producer: undefined,
    sending: undefined,
    timer: undefined,
    flying: [],
    fault: undefined,
    closed: false,
  };
  const watch = setInterval(() => refuseLate(state, options.deadlineMs), Math.min(250, options.deadlineMs / 4));
  watch.unref();
  return {
    async send(topic, partition, messages) {
      if (state.closed) throw unavailable('The bus is closing.', 5);
      if (state.waitingBytes > WAITING_BYTES) throw unavailable('The bus has more waiting for Kafka than it can hold.', 1);
      const overdue = state.flying.some((part) => part.since < performance.now() - options.deadlineMs);
      if (overdue) throw unavailable('The bus cannot store messages at the moment.', 5);
      const lane = laneOf(state, topic, partition);
      await Promise.all([...cutParts(messages, partition)].map((cut) => enqueue(state, lane, cut)));
    },
    fault: () => state.fault,
    async close() {
      state.closed = true;
      startSending(state);
      await endsWithin(state.sending ?? Promise.resolve(), options.deadlineMs);
      clearInterval(watch);
      refuseLate(state, 0);
      if (state.producer) await endsWithin(state.producer.disconnect(), 2000);
    },
  };
}
