import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TOPICS } from '@svc/contracts/bus-topics';
import { type ClickHouseServer, clickHouseUnavailable, startClickHouse } from '@svc/testkit/clickhouse';
import { type KafkaCluster, kafkaUnavailable, startKafka } from '@svc/testkit/kafka';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bus, createKafkaBus } from '#bus';
import { parseTenantId, type TenantId } from '#kernel';
import { openTelemetry, type Telemetry, type WriteClaim } from '#telemetry';
import { numberedSpans } from './test-requests.ts';

const missing = kafkaUnavailable() ?? clickHouseUnavailable();
if (missing) process.stderr.write(`SKIPPED: OTLP over Kafka into a ClickHouse server: ${missing}\n`);

const migrationsDir = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
const CHILD = fileURLToPath(new URL('./kafka-child.ts', import.meta.url));
const log = pino({ level: 'silent' });
const SPANS = 20;
/** Brokers that die and groups that deal anew take their time, on a busy machine more. */
const LIMIT_MS = 300_000;
// Over several partitions, so that every change of members moves some; every fourth brings enough for blocks of its own.
const TENANTS = Array.from({ length: 12 }, (_, i) => parseTenantId(`shop-${i}`));

/** A process that stores. */
interface Member {
  child: ChildProcess;
  /** Spans that it stored, and inserts that the store refused because others had the partition by then. */
  counts(): { rows: number; refused: number };
  kill(): Promise<void>;
}

interface Stored {
  rows: number;
  spans: number;
  /** One tells of a fault of the group, several of the publisher's. */
  places: string[];
}

describe.skipIf(missing)('OTLP over Kafka, stored by a group whose members come and go', () => {
  let clickhouse: ClickHouseServer;
  let telemetry: Telemetry;
  const members = new Set<Member>();
  let cluster: KafkaCluster | undefined;
  let bus: Bus | undefined;
  let number = 0;
  beforeAll(async () => {
    clickhouse = await startClickHouse();
    telemetry = await openTelemetry({ dataDir: tmpdir(), url: clickhouse.url, migrationsDir, log });
  });
  afterEach(async () => {
    await Promise.all([...members].map((member) => member.kill()));
    await bus?.close();
    await cluster?.stop();
  });
  afterAll(async () => {
    await telemetry?.close();
    await clickhouse?.stop();
  });

  function join(): Member {
    const brokers = cluster?.brokers.join(',') ?? '';
    const child = fork(CHILD, [brokers, clickhouse.url, migrationsDir], {
      execArgv: ['--disable-warning=TimeoutNegativeWarning'],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    let told = { rows: 0, refused: 0 };
    child.on('message', (counts) => {
      told = counts as typeof told;
    });
    const exited = once(child, 'exit');
    const end = async (signal: NodeJS.Signals) => {
      members.delete(member);
      child.kill(signal);
      await exited;
    };
    const member = {
      child,
      counts: () => told,
      kill: () => end('SIGKILL'),
    };
    members.add(member);
    return member;
  }

  const stores = (member: Member) => {
    const { rows } = member.counts();
    return vi.waitFor(() => expect(member.counts().rows).toBeGreaterThan(rows + 5 * SPANS), { timeout: 90_000, interval: 100 });
  };

  /** Stops it when its next insert is all that is left to do, and waits until another has its partition. */
  async function standStill({ child }: Member): Promise<void> {
    child.send('stand still');
    const [claim] = await once(child.stdout as Readable, 'data');
    const { writer, id } = JSON.parse(claim) as WriteClaim;
    const sql = `SELECT endsWith(max(claim), {id:String}) AS is_held FROM write_claims WHERE writer = {writer:String} AND {tenant:String} != ''`;
    const held = () => telemetry.store.read(TENANTS[0] as TenantId, sql, { writer, id });
    expect(await held()).toEqual([{ is_held: 1 }]);
    await vi.waitFor(async () => expect(await held()).toEqual([{ is_held: 0 }]), { timeout: 90_000, interval: 100 });
  }

  /** Publishes for all tenants until `stop`; a message that was refused is never published again. */
  function startTraffic(to: Bus) {
    const acknowledged = new Set<string>();
    let isRunning = true;
    const lanes = TENANTS.map(async (tenant, i) => {
      const isLarge = i % 4 === 0;
      while (isRunning) {
        number += 1;
        const own = number;
        const nowMs = Date.now();
        const value = numberedSpans({ number: own, spans: SPANS, nowMs, padding: isLarge ? 8000 : 10 });
        await to.publish(TOPICS.otlpTraces, [{ tenant, value, headers: { at: String(nowMs) } }]).then(
          () => acknowledged.add(`${tenant} m${own}`),
          () => {},
        );
        await sleep(isLarge ? 60 : 150);
      }
    });
    const waitForMore = async (messages: number) => {
      const before = acknowledged.size;
      await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(before + messages), { timeout: 90_000, interval: 50 });
    };
    const stop = async () => {
      isRunning = false;
      await Promise.all(lanes);
    };
    return { acknowledged, waitForMore, stop };
  }

  /** By message. */
  async function readStored(): Promise<Map<string, Stored>> {
    const sql = `SELECT name, count() AS rows, uniqExact(span_id) AS spans, groupUniqArray(concat(bus_partition, ':', bus_offset)) AS places
      FROM spans WHERE tenant_id = {tenant:String} GROUP BY name`;
    const all = await Promise.all(
      TENANTS.map(async (tenant) => {
        const rows = await telemetry.store.read<Stored & { name: string }>(tenant, sql);
        return rows.map(({ name, ...stored }) => [`${tenant} ${name}`, stored] as const);
      }),
    );
    return new Map(all.flat());
  }

  async function expectStoredOnce(acknowledged: ReadonlySet<string>): Promise<void> {
    const faults = async () => {
      const stored = await readStored();
      const lost = [...acknowledged].filter((message) => !stored.has(message));
      // Half of a message while its second day is on its way; what is doubled stays so.
      const wrong = [...stored].filter(([, { rows, spans }]) => rows !== SPANS || spans !== SPANS);
      return { lost: lost.slice(0, 5), wrong: wrong.slice(0, 5) };
    };
    const none = { lost: [], wrong: [] };
    await vi.waitFor(async () => expect(await faults()).toEqual(none), { timeout: 90_000, interval: 500 });
    // Nor does anything come after it.
    await sleep(1000);
    expect(await faults()).toEqual(none);
  }

  test('brokers die and restart, members stand still, die and join: nothing is lost, nothing doubled', {
    timeout: LIMIT_MS,
  }, async () => {
    cluster = await startKafka({ nodes: 3 });
    bus = await createKafkaBus({ brokers: cluster.brokers, clientId: 'test', topics: [TOPICS.otlpTraces], log });
    const traffic = startTraffic(bus);
    const [first, second] = [join(), join()];
    await Promise.all([stores(first), stores(second)]);
    await cluster.kill(1);
    await traffic.waitForMore(100);
    await Promise.all([stores(first), stores(second)]);
    // None is left for a moment: what is published then waits or is refused.
    await Promise.all([0, 2].map((node) => cluster?.kill(node)));
    await sleep(1000);
    await Promise.all([0, 2].map((node) => cluster?.start(node)));
    await traffic.waitForMore(100);
    await Promise.all([stores(first), stores(second)]);
    // One stands still before an insert for longer than its session: others have its partitions by then.
    await standStill(first);
    const third = join();
    await stores(second);
    first.child.kill('SIGCONT');
    await Promise.all([stores(first), stores(third)]);
    // It may store of partitions that are still its own before its former insert is refused.
    await vi.waitFor(() => expect(first.counts().refused).toBeGreaterThan(0), { timeout: 30_000 });
    await second.kill();
    await Promise.all([stores(first), stores(third)]);
    await traffic.stop();
    await expectStoredOnce(traffic.acknowledged);
  });
});
