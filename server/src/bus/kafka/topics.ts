import { setTimeout as sleep } from 'node:timers/promises';
import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import kafkajs, { type Admin } from 'kafkajs';
import { AppError } from '#kernel';
import { unavailable } from '../message-bounds.ts';

// kafkajs is CommonJS whose names Node cannot see from an import.
const { ConfigResourceTypes } = kafkajs;

/** What our largest message needs: its batch is one message and some framing. */
export const BATCH_BYTES = 8 * 1024 * 1024;

const TOLD_WITHIN_MS = 20_000;

export interface TopicPlan {
  /** Partitions of a topic that we make; one that is there keeps its own. */
  partitions: number;
  log: FastifyBaseLogger;
}

const typeOf = (err: unknown): string | undefined => (err as { type?: string }).type;

async function partitionsOf(admin: Admin, topic: Topic): Promise<number> {
  // The list first: asking for the metadata of a missing topic is retried by the client for a minute.
  if (!(await admin.listTopics()).includes(topic)) return 0;
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions.length ?? 0;
  } catch (err) {
    // One broker lists what another has not heard of yet.
    if (typeOf(err) === 'UNKNOWN_TOPIC_OR_PARTITION') return 0;
    throw err;
  }
}

/** Of a topic that was just made, by us or by another process at the same time: the brokers tell of it a little later. */
async function waitForPartitions(admin: Admin, topic: Topic): Promise<number> {
  for (const end = Date.now() + TOLD_WITHIN_MS; Date.now() < end; await sleep(100)) {
    const partitions = await partitionsOf(admin, topic);
    if (partitions > 0) return partitions;
  }
  throw unavailable(`The Kafka topic ${topic} has no partitions.`, 30);
}

async function makeTopic(admin: Admin, topic: Topic, plan: TopicPlan): Promise<void> {
  const { brokers } = await admin.describeCluster();
  const replicationFactor = Math.min(3, brokers.length);
  const entries = { 'max.message.bytes': String(BATCH_BYTES), 'min.insync.replicas': replicationFactor === 3 ? '2' : '1' };
  const configEntries = Object.entries(entries).map(([name, value]) => ({ name, value }));
  try {
    await admin.createTopics({
      topics: [{ topic, numPartitions: plan.partitions, replicationFactor, configEntries }],
      // The client would fail where a broker does not know of it yet.
      waitForLeaders: false,
    });
  } catch (err) {
    const first = (err as { errors?: unknown[] }).errors?.[0] ?? err;
    if (typeOf(first) === 'TOPIC_ALREADY_EXISTS') return;
    throw unavailable(
      `The Kafka topic ${topic} is missing and could not be made (${(first as Error).message}): create it with ` +
        `${plan.partitions} partitions, 3 replicas, min.insync.replicas=2 and max.message.bytes=${BATCH_BYTES}.`,
      30,
      err,
    );
  }
  plan.log.info({ topic, partitions: plan.partitions, replicationFactor }, 'bus: made a Kafka topic');
}

async function checkSettings(admin: Admin, topic: Topic, log: FastifyBaseLogger): Promise<void> {
  const resource = { type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['max.message.bytes', 'min.insync.replicas'] };
  const described = await admin.describeConfigs({ includeSynonyms: false, resources: [resource] }).catch((err) => {
    log.warn({ err, topic }, 'bus: the settings of a Kafka topic could not be read; messages up to 8 MiB must fit');
  });
  const bytes = described?.resources[0]?.configEntries.find((entry) => entry.configName === 'max.message.bytes')?.configValue;
  if (bytes === undefined || Number(bytes) >= BATCH_BYTES) return;
  throw new AppError(
    'unavailable',
    `The Kafka topic ${topic} has max.message.bytes=${bytes}: set it to ${BATCH_BYTES} or more.`,
    {
      retryAfterSeconds: 30,
    },
  );
}

/** The topic's number of partitions, after making it where it is missing and checking that our messages fit. */
export async function ensureTopic(admin: Admin, topic: Topic, plan: TopicPlan): Promise<number> {
  const there = await partitionsOf(admin, topic);
  if (there === 0) await makeTopic(admin, topic, plan);
  const partitions = there || (await waitForPartitions(admin, topic));
  await checkSettings(admin, topic, plan.log);
  return partitions;
}
