import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TOPICS } from '@svc/contracts/bus-topics';
import { type ClickHouseServer, clickHouseUnavailable, startClickHouse } from '@svc/testkit/clickhouse';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { BusMessage } from '#bus';
import { AppError, parseTenantId, type TenantId } from '#kernel';
import { type ColumnStore, type EncodedBlock, openTelemetry, type Telemetry } from '#telemetry';
import { createStoreConsumer, type StoredNewest } from './consume.ts';
import type { BlockStore } from './offset-reader.ts';
import { numberedSpans } from './test-requests.ts';
import { type BuildThread, createBuildThread } from './thread.ts';

const migrationsDir = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
const log = pino({ level: 'silent' });
const NOW = Date.now();
const SPANS = 6;
const signal = new AbortController().signal;

const unavailable = clickHouseUnavailable();
if (unavailable) process.stderr.write(`SKIPPED: ${unavailable}\n`);

describe.each(unavailable ? ['chDB'] : ['chDB', 'a server'])('a batch that comes again, on %s', (where) => {
  let folder: string;
  let server: ClickHouseServer | undefined;
  let telemetry: Telemetry;
  let store: ColumnStore;
  let thread: BuildThread;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-otlp-again-'));
    if (where === 'a server') server = await startClickHouse();
    telemetry = await openTelemetry({ dataDir: folder, migrationsDir, log, ...(server && { url: server.url }) });
    store = telemetry.store;
    thread = createBuildThread(log);
  });
  afterAll(async () => {
    await thread.close();
    await telemetry.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const message = (tenant: TenantId, number: number, at = NOW): BusMessage => ({
    tenant,
    value: numberedSpans({ number, spans: SPANS, nowMs: NOW }),
    headers: { at: String(at) },
    offset: BigInt(number * 1000),
  });
  const batch = (messages: BusMessage[], partition = 1) => ({ topic: TOPICS.otlpTraces, partition, messages });
  const numbers = async (tenant: TenantId): Promise<Record<string, number>> => {
    const sql = 'SELECT name, count() AS rows FROM spans WHERE tenant_id = {tenant:String} GROUP BY name ORDER BY name';
    const rows = await store.read<{ name: string; rows: number }>(tenant, sql);
    return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
  };
  const each = (...names: number[]) => Object.fromEntries(names.map((number) => [`m${number}`, SPANS]));
  const consumer = (of: BlockStore = store) => createStoreConsumer({ store: of, thread, log });

  test('cut differently after a restart is stored once', async () => {
    const [a, b] = ['cut-a', 'cut-b'].map(parseTenantId) as [TenantId, TenantId];
    const messages = [1, 2, 3, 4, 5, 6].map((number) => message(number % 2 === 0 ? a : b, number));
    await consumer().handle(batch(messages.slice(0, 4)), signal);
    const restarted = consumer();
    await restarted.handle(batch(messages.slice(0, 1)), signal);
    await restarted.handle(batch(messages.slice(1, 6)), signal);
    expect(await numbers(a)).toEqual(each(2, 4, 6));
    expect(await numbers(b)).toEqual(each(1, 3, 5));
    expect(restarted.counters.tenants.get('traces')?.get(a)).toEqual({
      rows: SPANS,
      truncated: 0,
      leftOut: 0,
      repeated: 2 * SPANS,
    });
  });

  test('tells of the newest rows of who brings much, by receiver, and of nobody else', async () => {
    const [much, little] = ['late-much', 'late-little'].map(parseTenantId) as [TenantId, TenantId];
    const told: StoredNewest[] = [];
    const { handle } = createStoreConsumer({ store, thread, noteStored: (one) => void told.push(one), log });
    const value = numberedSpans({ number: 1, spans: 400, nowMs: NOW, padding: 4000 });
    const at = Date.now() - 9000;
    const of = (number: number, at: number, receipt?: string): BusMessage => {
      const one = message(much, number, at);
      return { ...one, value, headers: { ...one.headers, ...(receipt !== undefined && { receipt }) } };
    };
    await handle(batch([of(1, at), of(3, at + 4000)], 43), signal);
    const newest = { signal: 'traces', tenant: much, receivedAtMs: at + 4000, receipt: undefined };
    expect(told.splice(0)).toEqual([{ ...newest, isBesideOthers: false }]);

    await handle(batch([message(little, 5, at), of(6, at, 'one/1'), of(7, at + 1, 'two/1'), of(8, at + 2, 'one/2')], 43), signal);
    expect(told).toEqual([
      { ...newest, receivedAtMs: at + 2, receipt: 'one/2', isBesideOthers: true },
      { ...newest, receivedAtMs: at + 1, receipt: 'two/1', isBesideOthers: true },
    ]);
  });

  test('a small message that is charged much is of who brings much', async () => {
    const [much, little] = ['charged-much', 'charged-little'].map(parseTenantId) as [TenantId, TenantId];
    const told: string[] = [];
    const { handle } = createStoreConsumer({ store, thread, noteStored: ({ tenant }) => void told.push(tenant), log });
    const charged = (tenant: TenantId, number: number, charge: string): BusMessage => {
      const one = message(tenant, number);
      return { ...one, headers: { ...one.headers, charge } };
    };
    await handle(
      batch([charged(much, 1, String(4 * 1024 * 1024)), charged(little, 2, 'none'), charged(little, 3, '-5')], 41),
      signal,
    );
    expect(told).toEqual([much]);
  });

  test('again in the same process is asked about again', async () => {
    const tenant = parseTenantId('back');
    const { handle } = consumer();
    for (const last of [1, 2, 3]) await handle(batch([1, 2, 3].slice(0, last).map((number) => message(tenant, number))), signal);
    expect(await numbers(tenant)).toEqual(each(1, 2, 3));
  });

  test('tenants that the bus hands over apart are stored once, and asked about once', async () => {
    const [a, b] = ['apart-a', 'apart-b'].map(parseTenantId) as [TenantId, TenantId];
    let questions = 0;
    const read: ColumnStore['read'] = (...asked) => {
      questions++;
      return store.read(...asked);
    };
    const { handle } = consumer({ ...store, read });
    for (const from of [0, 10, 20]) {
      await handle(batch([2, 4].map((number) => message(a, from + number))), signal);
      await handle(batch([1, 3].map((number) => message(b, from + number))), signal);
    }
    expect(await numbers(a)).toEqual(each(2, 4, 12, 14, 22, 24));
    expect(await numbers(b)).toEqual(each(1, 3, 11, 13, 21, 23));
    expect(questions).toBe(2);
  });

  test('after an insert that failed though it was stored in part, only the rest is stored', async () => {
    const [a, b] = ['half-a', 'half-b'].map(parseTenantId) as [TenantId, TenantId];
    let writes = 0;
    const { handle, failing } = consumer({
      ...store,
      // One tenant's block is stored, and the answer is lost.
      writeEncoded: async (block: EncodedBlock) => {
        await store.writeEncoded(block);
        if (writes++ === 0) throw new AppError('unavailable', 'The connection was lost.');
      },
    });
    const large = (number: number): BusMessage => ({
      ...message(a, number),
      value: numberedSpans({ number, spans: 400, nowMs: NOW, padding: 4000 }),
    });
    const messages = [large(1), message(b, 2), message(b, 3)];
    await expect(handle(batch(messages), signal)).rejects.toThrow('connection was lost');
    expect([...failing]).toEqual(['traces']);
    await handle(batch(messages.slice(0, 2)), signal);
    await handle(batch(messages.slice(2)), signal);
    expect([...failing]).toEqual([]);
    expect(await numbers(a)).toEqual({ m1: 400 });
    expect(await numbers(b)).toEqual(each(2, 3));
  });

  test('in another partition, or at the same place of a bus that was made anew, is another one', async () => {
    const tenant = parseTenantId('anew');
    await consumer().handle(batch([message(tenant, 1), message(tenant, 2)]), signal);
    await consumer().handle(batch([message(tenant, 1)], 2), signal);
    const fresh = consumer();
    await fresh.handle(batch([message(tenant, 1, NOW + 5)]), signal);
    await fresh.handle(batch([message(tenant, 2, NOW + 5)]), signal);
    expect(await numbers(tenant)).toEqual({ m1: 3 * SPANS, m2: 2 * SPANS });
  });

  test('has one part a day, so is stored whole or not at all, however many rows it has', async () => {
    const tenant = parseTenantId('one-part');
    const thousand = numberedSpans({ number: 1, spans: 1000, nowMs: NOW });
    const value = Buffer.concat(Array.from({ length: 160 }, () => thousand));
    await consumer().handle(batch([{ ...message(tenant, 1), value }]), signal);
    // Parts that were merged into others are still listed.
    const sql = `SELECT partition, count() AS parts, sum(rows) AS rows FROM system.parts
      WHERE table = 'spans' AND partition LIKE concat('%', {tenant:String}, '%') GROUP BY partition`;
    const found = await store.read<{ parts: number; rows: number }>(tenant, sql);
    expect(found.map(({ parts, rows }) => [parts, rows])).toEqual([
      [1, 80_000],
      [1, 80_000],
    ]);
  });

  test('asks the store nothing about what is new', async () => {
    const tenant = parseTenantId('new');
    let reads = 0;
    const read: ColumnStore['read'] = (...question) => {
      reads++;
      return store.read(...question);
    };
    const { handle } = consumer({ ...store, read });
    for (const number of [1, 2, 3, 4]) await handle(batch([message(tenant, number)]), signal);
    expect(reads).toBe(1);
    await handle(batch([message(tenant, 5)]), new AbortController().signal);
    expect(reads).toBe(2);
  });

  test('a batch that overtakes the one before it, because it is small, is no other reader', async () => {
    const tenant = parseTenantId('overtaking');
    const going = Promise.withResolvers<void>();
    const writeEncoded = async (block: EncodedBlock) => {
      await going.promise;
      await store.writeEncoded(block);
    };
    const { handle } = consumer({ ...store, writeEncoded });
    const take = (partition: number, ...places: number[]) =>
      handle(
        batch(
          places.map((number) => message(tenant, number)),
          partition,
        ),
        signal,
      );
    const all = [take(21, 1), take(22, 1), take(23, 1, 2), take(23, 3)];
    going.resolve();
    await Promise.all(all);
    expect(await numbers(tenant)).toEqual({ m1: 3 * SPANS, m2: SPANS, m3: SPANS });
  });

  test('a batch that overtakes one that was stored before does not hide it', async () => {
    const tenant = parseTenantId('hidden');
    const take = ({ handle }: ReturnType<typeof consumer>, partition: number, ...places: number[]) =>
      handle(
        batch(
          places.map((number) => message(tenant, number)),
          partition,
        ),
        signal,
      );
    await take(consumer(), 33, 1, 2);
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let writes = 0;
    const writeEncoded = async (block: EncodedBlock) => {
      await gates[writes++]?.promise;
      await store.writeEncoded(block);
    };
    const restarted = consumer({ ...store, writeEncoded });
    // The first two take both slots; of those that wait the smaller goes first.
    const all = [take(restarted, 31, 4), take(restarted, 32, 5), take(restarted, 33, 1, 2), take(restarted, 33, 3)];
    await vi.waitFor(() => expect(writes).toBe(2));
    gates[0]?.resolve();
    await Promise.all([all[2], all[3]]);
    gates[1]?.resolve();
    await Promise.all(all);
    expect(await numbers(tenant)).toEqual(each(1, 2, 3, 4, 5));
  });

  test('a process that may have lost its partition begins no write, and writes nothing when it did', async () => {
    const tenant = parseTenantId('lost');
    let isOurs = false;
    const { handle, failing } = consumer();
    const mine = { ...batch([message(tenant, 1)]), isOurs: () => isOurs };
    const lost = new AbortController();
    const giving = handle(mine, lost.signal);
    await sleep(300);
    expect(await numbers(tenant)).toEqual({});
    lost.abort();
    await expect(giving).rejects.toThrow('aborted');
    expect([...failing]).toEqual([]);
    const keeping = handle(mine, signal);
    isOurs = true;
    await keeping;
    expect(await numbers(tenant)).toEqual(each(1));
  });

  test('a process that stood still before its insert stores nothing that others have stored since', async () => {
    const tenant = parseTenantId('still');
    const [standing, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writeEncoded = async (block: EncodedBlock) => {
      standing.resolve();
      await going.promise;
      await store.writeEncoded(block);
    };
    const former = consumer({ ...store, writeEncoded });
    const messages = [1, 2, 3, 4].map((number) => message(tenant, number));
    const late = former.handle(batch(messages.slice(0, 2), 8), signal);
    await standing.promise;
    const next = consumer();
    await next.handle(batch(messages.slice(0, 1), 8), signal);
    going.resolve();
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    expect([...former.failing]).toEqual([]);
    expect(await numbers(tenant)).toEqual(each(1));
    // It takes the partition back, which the other one hears of; both lose and double nothing.
    await former.handle(batch(messages.slice(0, 2), 8), signal);
    await expect(next.handle(batch(messages.slice(1, 3), 8), signal)).rejects.toMatchObject({ code: 'conflict' });
    await next.handle(batch(messages.slice(1, 4), 8), signal);
    expect(await numbers(tenant)).toEqual(each(1, 2, 3, 4));
  });

  test.skipIf(where !== 'a server')('waits for what the former reader of its partition still sends', async () => {
    const tenant = parseTenantId('former');
    await consumer().handle(batch([message(tenant, 1)], 7), signal);
    // What a process that stands still has on its way: the same rows again, at the place of the second message.
    const { url } = server as ClickHouseServer;
    const { origin, username, password } = new URL(url);
    const query = `INSERT INTO spans (tenant_id, ts, name, trace_state, received, bus_partition, bus_offset) FORMAT CSV`;
    const former = request(`${origin}/?query=${encodeURIComponent(query)}&query_id=otlp-traces-7/former&max_query_size=16384`, {
      method: 'POST',
      headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': password, 'transfer-encoding': 'chunked' },
    });
    const answered = once(former, 'response');
    const at = new Date(NOW).toISOString().slice(0, -1).replace('T', ' ');
    const rows = (ts: string) => `former,"${ts}",m2,${'x'.repeat(9000)},"${at}",7,2000\n`.repeat(SPANS / 2);
    former.write(rows(at));
    const listed = `SELECT count() AS n FROM system.processes WHERE {tenant:String} != '' AND query_id = 'otlp-traces-7/former'`;
    await vi.waitFor(async () => expect(await store.read(tenant, listed)).toEqual([{ n: 1 }]));
    const taking = consumer().handle(batch([message(tenant, 2)], 7), signal);
    await sleep(300);
    former.end(rows(new Date(NOW - 86_400_000).toISOString().slice(0, -1).replace('T', ' ')));
    expect((await answered)[0]).toMatchObject({ statusCode: 200 });
    await taking;
    expect(await numbers(tenant)).toEqual(each(1, 2));
  });
});
