import type { Topic } from '@svc/contracts/bus-topics';
import { type KafkaCluster, kafkaUnavailable, startKafka } from '@svc/testkit/kafka';
import { pino } from 'pino';
import { afterAll, beforeAll, describe } from 'vitest';
import { type BusHarness, describeBus } from './bus.contract.ts';
import { createKafkaBus } from './kafka.ts';
import { describePoison } from './poison.contract.ts';

const missing = kafkaUnavailable();
if (missing) process.stderr.write(`SKIPPED: the bus on Kafka is not tested here: ${missing}\n`);

describe.skipIf(missing)('Kafka', () => {
  let cluster: KafkaCluster;
  let topics = 0;
  beforeAll(async () => {
    cluster = await startKafka();
  });
  afterAll(() => cluster?.stop());

  const harness: BusHarness = {
    durable: true,
    bounded: false,
    freshTopic: async () => `test.topic-${++topics}` as Topic,
    open: () => createKafkaBus({ brokers: cluster.brokers, clientId: 'test', log: pino({ level: 'silent' }), partitions: 6 }),
  };
  describeBus('kafka', harness);
  describePoison('kafka', harness);
});
