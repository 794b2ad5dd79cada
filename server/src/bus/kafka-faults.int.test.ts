import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Topic } from '@svc/contracts/bus-topics';
import { type KafkaCluster, kafkaUnavailable, startKafka } from '@svc/testkit/kafka';
import { Kafka, logLevel } from 'kafkajs';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#kernel';
import { createKafkaBus, type KafkaBusOptions } from './kafka.ts';
import type { Bus, BusBatch } from './port.ts';

const missing = kafkaUnavailable();
if (missing) process.stderr.write(`SKIPPED: faults of Kafka are not tested here: ${missing}\n`);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const silent = pino({ level: 'silent' });
const TENANTS = ['a', 'b', 'c', 'd', 'e'] as TenantId[];
const LOGIN = { username: 'svc', password: 'right-pass-word' };
const opened: Bus[] = [];
let topics = 0;
const freshTopic = () => `test.fault-${++topics}` as Topic;

async function open(brokers: string[], options: Partial<KafkaBusOptions> = {}): Promise<Bus> {
  const bus = await createKafkaBus({ brokers, clientId: 'test', log: silent, partitions: 6, ...options });
  opened.push(bus);
  return bus;
}

async function until(claim: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await claim())) {
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${claim}`);
    await sleep(20);
  }
}

/** Publishers that try each message again until it is acknowledged, as callers of ours do, and a reader that drops what it has seen. */
function createTraffic(bus: Bus, topic: Topic) {
  const acknowledged: string[] = [];
  const seen = new Map<string, number[]>();
  const state = { running: true, refused: 0, doubles: 0, disorder: 0 };
  const publishers = TENANTS.map(async (tenant) => {
    for (let number = 0; state.running; number++) {
      const message = { tenant, value: Buffer.from(`${tenant}:${number}`.padEnd(500)) };
      for (let done = false; !done; ) {
        done = await bus.publish(topic, [message]).then(
          () => true,
          () => false,
        );
        if (done) acknowledged.push(`${tenant}:${number}`);
        else state.refused++;
        if (!done) await sleep(50);
      }
      await sleep(2);
    }
  });
  const read = async (batch: BusBatch) => {
    for (const message of batch.messages) {
      const [tenant, number] = message.value.toString().trim().split(':') as [string, string];
      const list = seen.get(tenant) ?? [];
      seen.set(tenant, list);
      if (list.includes(Number(number))) state.doubles++;
      else if (Number(number) < (list.at(-1) ?? -1)) state.disorder++;
      else list.push(Number(number));
    }
  };
  const stop = async () => {
    state.running = false;
    await Promise.all(publishers);
  };
  const lost = () => acknowledged.filter((id) => !seen.get(id.split(':')[0] as string)?.includes(Number(id.split(':')[1])));
  return { acknowledged, state, read, stop, lost };
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});

test('brokers that do not answer are named within the deadline', async () => {
  // One port refuses, the other takes the connection and stays silent.
  const mute = createServer().listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const silentBroker = `127.0.0.1:${(mute.address() as { port: number }).port}`;
  for (const broker of ['127.0.0.1:1', silentBroker]) {
    const begun = Date.now();
    const failure = await open([broker], { deadlineMs: 1500 }).catch((err) => err);
    expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining(broker) });
    expect(Date.now() - begun).toBeLessThan(3000);
  }
  mute.close();
});

describe.skipIf(missing)('one broker', () => {
  let cluster: KafkaCluster;
  beforeAll(async () => {
    cluster = await startKafka({ secure: LOGIN });
  });
  afterAll(() => cluster?.stop());

  test('killed and started again under load: nothing acknowledged is lost, nothing visible doubles, order holds', async () => {
    const topic = freshTopic();
    const bus = await open(cluster.brokers, { deadlineMs: 3000, topics: [topic] });
    const traffic = createTraffic(bus, topic);
    await bus.subscribe({ topic, group: 'g' }, traffic.read);
    await until(() => traffic.acknowledged.length > 500);
    await cluster.kill(0);
    await sleep(4000);
    expect((await bus.health()).status).toBe('failed');
    expect((await bus.health()).detail).toContain(cluster.brokers[0]);
    await cluster.start(0);
    const before = traffic.acknowledged.length;
    await until(() => traffic.acknowledged.length > before + 500);
    await traffic.stop();
    await until(() => traffic.lost().length === 0);
    expect(traffic.state.refused).toBeGreaterThan(0);
    expect(traffic.state.disorder).toBe(0);
    await until(async () => (await bus.health()).status === 'ok');
  });

  test('publish answers within its deadline while the broker is away', async () => {
    const topic = freshTopic();
    const bus = await open(cluster.brokers, { deadlineMs: 1000, topics: [topic] });
    await bus.publish(topic, [{ tenant: TENANTS[0] as TenantId, value: Buffer.from('before') }]);
    await cluster.kill(0);
    for (let each = 0; each < 3; each++) {
      const begun = Date.now();
      const refused = await bus.publish(topic, [{ tenant: TENANTS[0] as TenantId, value: Buffer.from('x') }]).catch((err) => err);
      expect(refused).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
      expect(Date.now() - begun).toBeLessThan(2000);
    }
    await cluster.start(0);
  });

  test('a handler far slower than its session is not thrown out and sees its messages once', async () => {
    const topic = freshTopic();
    const bus = await open(cluster.brokers, { sessionTimeoutMs: 2000 });
    const got: string[] = [];
    await bus.subscribe({ topic, group: 'slow', maxMessages: 1 }, async (batch) => {
      await sleep(3000);
      got.push(...batch.messages.map((message) => message.value.toString()));
    });
    for (const body of ['1', '2']) await bus.publish(topic, [{ tenant: TENANTS[0] as TenantId, value: Buffer.from(body) }]);
    await until(() => got.length === 2);
    await sleep(500);
    expect(got).toEqual(['1', '2']);
    expect((await bus.health()).status).toBe('ok');
  });

  test('members that come and go share the partitions; nothing is lost', async () => {
    const topic = freshTopic();
    const first = await open(cluster.brokers, { topics: [topic] });
    const traffic = createTraffic(first, topic);
    const members = new Set<number>();
    const reader = (member: number) => async (batch: BusBatch) => {
      members.add(member);
      await traffic.read(batch);
    };
    await first.subscribe({ topic, group: 'shared' }, reader(1));
    await until(() => traffic.acknowledged.length > 200);
    const second = await open(cluster.brokers);
    await second.subscribe({ topic, group: 'shared' }, reader(2));
    await until(() => members.has(2));
    const before = traffic.acknowledged.length;
    await until(() => traffic.acknowledged.length > before + 500);
    await second.close();
    await until(() => traffic.acknowledged.length > before + 1000);
    await traffic.stop();
    await until(() => traffic.lost().length === 0);
  });

  test('a consumer far behind holds a bounded part in memory', async () => {
    const topic = freshTopic();
    const bus = await open(cluster.brokers, { partitions: 1 });
    const value = randomBytes(1_000_000);
    for (let each = 0; each < 60; each++) await bus.publish(topic, [{ tenant: TENANTS[0] as TenantId, value }]);
    const gate = Promise.withResolvers<void>();
    let handled = 0;
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    await bus.subscribe({ topic, group: 'behind' }, async (batch) => {
      await gate.promise;
      handled += batch.messages.length;
    });
    await sleep(2500);
    collectGarbage();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(25_000_000);
    gate.resolve();
    await until(() => handled === 60);
  });

  test('a topic whose batches are too small for our messages is named at the start', async () => {
    const topic = freshTopic();
    const admin = new Kafka({ brokers: cluster.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.createTopics({
      topics: [{ topic, numPartitions: 1, configEntries: [{ name: 'max.message.bytes', value: '1000000' }] }],
    });
    await admin.disconnect();
    await expect(open(cluster.brokers, { topics: [topic] })).rejects.toThrow(`${topic} has max.message.bytes=1000000`);
  });

  test('messages of nobody are left out, those around them arrive', async () => {
    const topic = freshTopic();
    const bus = await open(cluster.brokers, { topics: [topic], partitions: 1 });
    const foreign = new Kafka({ brokers: cluster.brokers, logLevel: logLevel.NOTHING }).producer();
    await foreign.connect();
    await bus.publish(topic, [{ tenant: TENANTS[0] as TenantId, value: Buffer.from('1') }]);
    await foreign.send({
      topic,
      messages: [{ value: 'no tenant' }, { key: 'Not A Tenant', value: 'no' }, { key: 'a', value: null }],
    });
    await foreign.disconnect();
    await bus.publish(topic, [{ tenant: TENANTS[0] as TenantId, value: Buffer.from('2') }]);
    const got: string[] = [];
    await bus.subscribe({ topic, group: 'g' }, async (batch) => {
      got.push(...batch.messages.map((message) => message.value.toString()));
    });
    await until(() => got.length >= 2);
    expect(got).toEqual(['1', '2']);
  });

  test('TLS with a client certificate and SASL, and clear errors without', async () => {
    const { brokers, certificates } = cluster.secure as NonNullable<KafkaCluster['secure']>;
    const ca = readFileSync(certificates.caFile, 'utf8');
    const tls = {
      ca,
      cert: readFileSync(certificates.clientCertFile, 'utf8'),
      key: readFileSync(certificates.clientKeyFile, 'utf8'),
    };
    for (const mechanism of ['scram-sha-256', 'plain'] as const) {
      const bus = await open(brokers, { tls, sasl: { mechanism, ...LOGIN } });
      const topic = freshTopic();
      const got: string[] = [];
      await bus.subscribe({ topic, group: 'secure' }, async (batch) => {
        got.push(...batch.messages.map((message) => message.value.toString()));
      });
      await bus.publish(topic, [{ tenant: TENANTS[0] as TenantId, value: Buffer.from(mechanism) }]);
      await until(() => got.length === 1);
    }
    const sasl = { mechanism: 'scram-sha-256', ...LOGIN } as const;
    const deadlineMs = 4000;
    const refusals: [Partial<KafkaBusOptions>, RegExp][] = [
      [{ tls, sasl: { ...sasl, password: 'wrong' } }, /SCRAM-SHA-256|[Aa]uthentication|credentials/],
      [{ tls: { ca }, sasl }, /certificate|alert|closed|no answer/i],
      [{ tls: {}, sasl }, /self-signed|certificate/i],
    ];
    for (const [options, words] of refusals) await expect(open(brokers, { ...options, deadlineMs })).rejects.toThrow(words);
  });
});

describe.skipIf(missing)('three brokers', () => {
  let cluster: KafkaCluster;
  beforeAll(async () => {
    cluster = await startKafka({ nodes: 3 });
  });
  afterAll(() => cluster?.stop());

  test('any one may die and come back: nothing acknowledged is lost, order holds', async () => {
    const topic = freshTopic();
    const bus = await open(cluster.brokers, { topics: [topic] });
    const traffic = createTraffic(bus, topic);
    await bus.subscribe({ topic, group: 'g' }, traffic.read);
    await until(() => traffic.acknowledged.length > 300);
    for (const node of [0, 1]) {
      await cluster.kill(node);
      const before = traffic.acknowledged.length;
      await until(() => traffic.acknowledged.length > before + 300);
      await cluster.start(node);
    }
    await traffic.stop();
    await until(() => traffic.lost().length === 0);
    expect(traffic.state.disorder).toBe(0);
  });

  test('leaders that move while a handler lags behind: nothing is skipped', async () => {
    const topic = freshTopic();
    const bus = await open(cluster.brokers, { topics: [topic] });
    const traffic = createTraffic(bus, topic);
    await bus.subscribe({ topic, group: 'g', maxMessages: 10 }, async (batch) => {
      await sleep(100);
      await traffic.read(batch);
    });
    const admin = new Kafka({ brokers: cluster.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await until(() => traffic.acknowledged.length > 200);
    for (const away of [1, 2, 3]) {
      const { topics: found } = await admin.fetchTopicMetadata({ topics: [topic] });
      const led = found[0]?.partitions.filter(({ leader }) => leader === away) ?? [];
      const partitionAssignment = led.map(({ partitionId: partition }) => ({
        partition,
        replicas: [1, 2, 3].filter((node) => node !== away),
      }));
      await admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment }] });
      const before = traffic.acknowledged.length;
      await until(() => traffic.acknowledged.length > before + 200);
    }
    await admin.disconnect();
    await traffic.stop();
    await until(() => traffic.lost().length === 0);
    expect(traffic.state.disorder).toBe(0);
  });
});
