import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOPICS } from '@svc/contracts/bus-topics';
import { type KafkaCluster, kafkaUnavailable, startKafka } from '@svc/testkit/kafka';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createKafkaBus } from '#bus';
import { parseTenantId } from '#kernel';
import type { ColumnStore, Telemetry } from '#telemetry';
import { openFreshTelemetry } from '#test-telemetry';
import { createOtlpStore } from './index.ts';
import { numberedSpans } from './test-requests.ts';

const log = pino({ level: 'silent' });
const TENANTS = ['a', 'b', 'c', 'd', 'e', 'f'].map(parseTenantId);
const SPANS = 4;
const missing = kafkaUnavailable();
if (missing) process.stderr.write(`SKIPPED: OTLP data over Kafka is not tested here: ${missing}\n`);

describe.skipIf(missing)('OTLP data over Kafka', () => {
  let folder: string;
  let cluster: KafkaCluster;
  let telemetry: Telemetry;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-otlp-kafka-'));
    [cluster, telemetry] = await Promise.all([startKafka(), openFreshTelemetry(folder)]);
  });
  afterAll(async () => {
    await telemetry?.close();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('partitions that change hands while inserts are on their way lose nothing and double nothing', async () => {
    const openBus = () =>
      createKafkaBus({ brokers: cluster.brokers, clientId: 'test', log, partitions: 6, topics: [TOPICS.otlpTraces] });
    const store = telemetry.store;
    // Slow enough that a change of hands mostly finds some under way.
    const writeEncoded: ColumnStore['writeEncoded'] = async (block) => {
      await sleep(400);
      await store.writeEncoded(block);
    };
    const buses = [await openBus(), await openBus()] as const;
    const processes = buses.map((bus) =>
      createOtlpStore({ bus, telemetry: { ...telemetry, store: { ...store, writeEncoded } }, log }),
    );
    const acknowledged: string[] = [];
    let publishing = true;
    const publisher = (async () => {
      for (let number = 0; publishing; number++) {
        const tenant = TENANTS[number % TENANTS.length] ?? parseTenantId('a');
        const nowMs = Date.now();
        const value = numberedSpans({ number, spans: SPANS, nowMs });
        await buses[0].publish(TOPICS.otlpTraces, [{ tenant, value, headers: { at: String(nowMs) } }]);
        acknowledged.push(`${tenant}:m${number}`);
        await sleep(10);
      }
    })();
    const stored = async () => {
      const sql = 'SELECT name, count() AS rows FROM spans WHERE tenant_id = {tenant:String} GROUP BY name';
      const all = new Map<string, number>();
      for (const tenant of TENANTS)
        for (const { name, rows } of await store.read<{ name: string; rows: number }>(tenant, sql))
          all.set(`${tenant}:${name}`, rows);
      return all;
    };
    const something = (rows: number) =>
      vi.waitFor(async () => expect((await stored()).size).toBeGreaterThan(rows), { timeout: 40_000, interval: 200 });
    await processes[0]?.start();
    await something(50);
    await processes[1]?.start();
    await sleep(2000);
    await something((await stored()).size);
    await processes[0]?.close();
    publishing = false;
    await publisher;
    await vi.waitFor(async () => expect((await stored()).size).toBe(acknowledged.length), { timeout: 40_000, interval: 200 });
    await processes[1]?.close();
    const found = await stored();
    expect(acknowledged.filter((each) => !found.has(each))).toEqual([]);
    expect([...found].filter(([, rows]) => rows !== SPANS)).toEqual([]);
    for (const bus of buses) await bus.close();
  });
});
