import { setTimeout as sleep } from 'node:timers/promises';
import { TOPICS } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createCallerFactory, router } from '#api';
import { type Bus, type BusMessage, createMemoryBus, type SetAsideMessage } from '#bus';
import { createSealer } from '#crypto';
import { type AuditEntry, type Ctx, parseTenantId, systemClock, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createQuarantineProcedures } from './api.ts';
import { createQuarantineDesk } from './desk.ts';
import { createQuarantine } from './index.ts';
import { keepMessages, MAX_BYTES, MAX_MESSAGES, removeExpired } from './store.ts';

const log = pino({ level: 'silent' });
const sealer = createSealer(Buffer.alloc(32, 1));
const DAY_MS = 86_400_000;

let database: TestDatabase;
let tenant: TenantId;
let other: TenantId;
let count = 0;

beforeAll(async () => {
  database = await createTestDatabase({ poolSize: 8 });
});
afterAll(() => database.close());
beforeEach(async () => {
  count += 1;
  [tenant, other] = [parseTenantId(`acme-${count}`), parseTenantId(`other-${count}`)];
  for (const id of [tenant, other]) await createTenant(database.relational, { id, name: id });
});

const deps = (now = systemClock.now) => ({ relational: database.relational, sealer, clock: { ...systemClock, now } });
const aside = (offset: number, part: Partial<SetAsideMessage> = {}): SetAsideMessage => ({
  topic: TOPICS.otlpLogs,
  group: 'svc.otlp-store',
  partition: 3,
  offset: BigInt(offset),
  tenant,
  headers: { at: '1770000000000' },
  value: Buffer.from(`message ${offset} \0 ü`),
  reason: 'refused',
  error: 'The store said no.',
  ...part,
});
const desk = () => {
  const trail: AuditEntry[] = [];
  const appendAudit = async (_: unknown, entry: AuditEntry) => void trail.push(entry);
  return { trail, ...createQuarantineDesk({ ...deps(), appendAudit }) };
};
const call = (of: TenantId) => {
  const ctx: Ctx = {
    principal: { kind: 'account', id: 'x', tenant: of, permissions: new Set(['otlp.read']) },
    requestId: 'test',
  };
  return createCallerFactory(router({ bus: createQuarantineProcedures(database.relational) }))({ requestId: 'test', ctx }).bus;
};

test('a message is kept as it was, sealed, once however often it is put, and another at the same place of a new bus beside it', async () => {
  const messages = [aside(1), aside(2, { reason: 'failed' })];
  for (let i = 0; i < 3; i++) await keepMessages(deps(), tenant, messages);
  await keepMessages(deps(), tenant, [aside(1, { value: Buffer.from('of another bus') })]);
  const { list, open, totals } = desk();
  const rows = await list(tenant, { limit: 10 });
  expect(rows.map(({ bus_offset, reason }) => [bus_offset, reason])).toEqual([
    ['1', 'refused'],
    ['2', 'failed'],
    ['1', 'refused'],
  ]);
  expect(await open(tenant, rows[2]?.id ?? '')).toEqual({ headers: { at: '1770000000000' }, value: aside(1).value });
  expect(await totals(tenant)).toMatchObject({ messages: 3, dropped: { messages: 0, bytes: 0 } });
  const { rows: stored } = await database.relational.withTenantSql(tenant, (sql) => sql.query('SELECT * FROM bus_quarantine'));
  expect(JSON.stringify(stored.map(({ sealed }) => (sealed as Buffer).toString('latin1')))).not.toContain('message 1');
});

test('a tenant keeps its bound of messages and bytes, the newest, and takes nothing from another', async () => {
  await keepMessages(deps(), other, [aside(1, { tenant: other })]);
  const many = Array.from({ length: MAX_MESSAGES + 50 }, (_, i) => aside(i));
  expect(await keepMessages(deps(), tenant, many)).toMatchObject({ messages: 50 });
  expect(await keepMessages(deps(), tenant, [aside(5000)])).toMatchObject({ messages: 1 });
  const found = await call(tenant).quarantine.list({ limit: 1000 });
  expect(found.kept.messages).toBe(MAX_MESSAGES);
  expect(found.dropped.messages).toBe(51);
  const large = Buffer.alloc(7 * 1024 * 1024);
  const flood = Array.from({ length: 12 }, (_, i) => aside(6000 + i, { value: large }));
  await keepMessages(deps(), tenant, flood);
  const { totals, list } = desk();
  expect((await totals(tenant)).bytes).toBeLessThanOrEqual(MAX_BYTES);
  expect((await list(tenant, { limit: 3 })).map(({ bus_offset }) => bus_offset)).toEqual(['6011', '6010', '6009']);
  expect(await totals(other)).toMatchObject({ messages: 1, dropped: { messages: 0 } });
});

test('what is past the retention of its signal goes', async () => {
  const [logs, results] = [aside(1), aside(2, { topic: TOPICS.endpointResults })];
  await keepMessages(
    deps(() => Date.now() - 16 * DAY_MS),
    tenant,
    [logs, results],
  );
  await database.relational.withTenantSql(tenant, (sql) => removeExpired(sql, new Date()));
  expect((await desk().list(tenant, { limit: 10 })).map(({ topic }) => topic)).toEqual([TOPICS.endpointResults]);
});

test('pages of its own tenant, newest first, without what messages hold', async () => {
  await keepMessages(
    deps(),
    tenant,
    [1, 2, 3].map((offset) => aside(offset)),
  );
  const first = await call(tenant).quarantine.list({ limit: 2 });
  expect(first.items).toHaveLength(2);
  expect(first.items[0]).toMatchObject({ signal: 'logs', reason: 'refused', bytes: aside(3).value.length, retrying: false });
  const rest = await call(tenant).quarantine.list({ limit: 2, cursor: first.next_cursor ?? '' });
  expect([rest.items.length, rest.next_cursor]).toEqual([1, null]);
  expect((await call(other).quarantine.list({})).items).toEqual([]);
  expect(JSON.stringify(first)).not.toContain('said no');
});

test('what is set aside is kept while the requests of its tenant fill their own line', async () => {
  const { relational } = database;
  const gate = Promise.withResolvers<void>();
  const held = Array.from({ length: 140 }, () =>
    relational
      .withTenantSql(tenant, () => gate.promise)
      .then(
        () => 'held',
        (error: { code: string }) => error.code,
      ),
  );
  await expect(keepMessages(deps(), tenant, [aside(1)])).resolves.toMatchObject({ messages: 0 });
  gate.resolve();
  expect(await Promise.all(held)).toContain('rate_limited');
  expect(await desk().list(tenant, { limit: 10 })).toHaveLength(1);
});

async function serve() {
  const inner = createMemoryBus({ log });
  const quarantine = createQuarantine({ ...deps(), bus: inner, log });
  await quarantine.start(() => false);
  const got: BusMessage[] = [];
  await inner.subscribe({ topic: TOPICS.otlpLogs, group: 'test' }, async ({ messages }) => void got.push(...messages));
  const stop = async () => {
    await quarantine.close();
    await inner.close();
  };
  return { quarantine, got, stop };
}

test('what is set aside is reported by tenant, once it is durable', async () => {
  const inner = createMemoryBus({ log });
  const reported: [TenantId, number][] = [];
  const onSetAside = (of: TenantId, messages: readonly SetAsideMessage[]) => void reported.push([of, messages.length]);
  const quarantine = createQuarantine({ ...deps(), bus: inner, log, onSetAside });
  const done = Promise.withResolvers<void>();
  await quarantine.bus.subscribe({ topic: TOPICS.otlpLogs, group: 'test' }, async ({ messages, setAside }) => {
    await setAside?.(messages, 'not_otlp');
    done.resolve();
  });
  const value = Buffer.from('no OTLP');
  await inner.publish(TOPICS.otlpLogs, [{ tenant, value }]);
  await done.promise;
  expect(reported).toEqual([[tenant, 1]]);
  expect(await desk().list(tenant, { limit: 10 })).toHaveLength(1);
  await quarantine.close();
  await inner.close();
});

test('a retry publishes a message again with its own headers and removes it; both it and a drop are in the trail', async () => {
  const { got, stop } = await serve();
  await keepMessages(
    deps(),
    tenant,
    [1, 2, 3].map((offset) => aside(offset, offset === 3 ? { reason: 'failed' } : {})),
  );
  const { list, retry, drop, trail } = desk();
  const [row] = await list(tenant, { reason: 'failed', limit: 1 });
  expect(await retry(tenant, { id: row?.id })).toEqual({ asked: 1, waiting: 0 });
  await vi.waitFor(() => expect(got).toHaveLength(1));
  expect(got[0]).toMatchObject({ tenant, headers: { at: '1770000000000' } });
  expect(got[0]?.value.equals(aside(3).value)).toBe(true);
  expect(await drop(tenant, { reason: 'refused' })).toBe(2);
  expect(await list(tenant, { limit: 10 })).toEqual([]);
  expect(trail).toEqual([
    {
      actor: { kind: 'system', id: 'cli' },
      action: 'bus_message.retry',
      object: { type: 'bus_message', id: row?.id },
      detail: { messages: 1 },
    },
    { actor: { kind: 'system', id: 'cli' }, action: 'bus_message.drop', detail: { messages: 2, reason: 'refused' } },
  ]);
  await expect(list(parseTenantId('nobody'), { limit: 1 })).rejects.toMatchObject({ code: 'not_found' });
  await stop();
});

test('a retry that was asked for while no server ran happens at the next start', async () => {
  await keepMessages(deps(), tenant, [aside(1)]);
  await database.relational.withTenantSql(tenant, (sql) => sql.query('UPDATE bus_quarantine SET retry_at = now()'));
  const { got, stop } = await serve();
  await vi.waitFor(() => expect(got).toHaveLength(1));
  await stop();
});

test('a message that cannot be published again says why and holds up neither its tenant nor others', async () => {
  const inner = createMemoryBus({ log });
  const got: string[] = [];
  const publish: Bus['publish'] = async (_topic, messages) => {
    for (const { value } of messages) {
      if (value.includes('message 1')) throw new Error('it does not fit');
      got.push(value.toString());
    }
  };
  const quarantine = createQuarantine({ ...deps(), bus: { ...inner, publish }, log });
  await keepMessages(deps(), tenant, [aside(1), aside(2)]);
  await keepMessages(deps(), other, [aside(3, { tenant: other })]);
  for (const of of [tenant, other])
    await database.relational.withTenantSql(of, (sql) => sql.query('UPDATE bus_quarantine SET retry_at = now()'));
  await quarantine.start(() => false);
  await vi.waitFor(() => expect(got).toHaveLength(2));
  expect(await desk().list(tenant, { limit: 10 })).toMatchObject([
    { bus_offset: '1', error: expect.stringContaining('Not published again: it does not fit'), retry_at: expect.any(Date) },
  ]);
  expect(await desk().list(other, { limit: 10 })).toEqual([]);
  await quarantine.close();
  await inner.close();
});

test('a consumer of the guarded bus loses nothing: what it refuses is kept and counted by topic, reason and tenant', async () => {
  const { quarantine, stop } = await serve();
  const handled: string[] = [];
  await quarantine.bus.subscribe({ topic: TOPICS.endpointResults, group: 'picky' }, async ({ messages }) => {
    await sleep(1);
    if (messages.some(({ value }) => value.includes('poison'))) throw new TypeError('no');
    handled.push(...messages.map(({ value }) => value.toString()));
  });
  const values = ['a', 'poison', 'b'].map((text) => ({ tenant, value: Buffer.from(text) }));
  await quarantine.bus.publish(TOPICS.endpointResults, values);
  await vi.waitFor(
    () =>
      expect(quarantine.counts()).toEqual([
        { name: 'svc.bus.quarantined', value: 1, attributes: { tenant, topic: TOPICS.endpointResults, reason: 'failed' } },
      ]),
    {
      timeout: 10_000,
    },
  );
  expect(handled).toEqual(['a', 'b']);
  expect((await call(tenant).quarantine.list({})).items).toMatchObject([{ signal: 'results', reason: 'failed', group: 'picky' }]);
  await stop();
});
