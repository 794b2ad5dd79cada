import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS } from '@svc/contracts/bus-topics';
import pino from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Bus, createLogBus, type SetAsideMessage } from '#bus';
import { parseTenantId, type TenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { openFreshTelemetry } from '#test-telemetry';
import { createOtlpStore } from './index.ts';
import { encodeRequest } from './test-requests.ts';

const log = pino({ level: 'silent' });
const NOW = Date.now();
const acme = parseTenantId('acme');

const logs = (text: string): Buffer => {
  const time = String(BigInt(NOW) * 1_000_000n);
  const logRecords = [{ timeUnixNano: time, body: { stringValue: text } }];
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] };
  return encodeRequest('logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
};
const message = (tenant: TenantId, value: Buffer, headers: Record<string, string> = { at: String(NOW) }) => ({
  tenant,
  value,
  headers,
});

let folder: string;
let telemetry: Telemetry;
let bus: Bus;
let otlp: ReturnType<typeof createOtlpStore>;
const aside: SetAsideMessage[] = [];
const quarantine = { put: async (messages: readonly SetAsideMessage[]) => void aside.push(...messages) };

async function start(): Promise<void> {
  const opened = await createLogBus({ folder: join(folder, 'log'), log });
  bus = { ...opened, subscribe: (options, handler) => opened.subscribe({ ...options, quarantine }, handler) };
  otlp = createOtlpStore({ bus, telemetry, log });
  await otlp.start();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-otlp-poison-'));
  telemetry = await openFreshTelemetry(folder);
  await start();
});
afterAll(async () => {
  await otlp.close();
  await bus.close();
  await telemetry.close();
  await rm(folder, { recursive: true, force: true });
});

const bodies = async (tenant: TenantId): Promise<string[]> => {
  const sql = 'SELECT body FROM logs WHERE tenant_id = {tenant:String} ORDER BY body';
  return (await telemetry.store.read<{ body: string }>(tenant, sql)).map(({ body }) => body);
};

test('the store that refuses one row of one tenant has every row of all the others, and health stays well', async () => {
  // No row is known that ClickHouse refuses after admission: a rule of its own stands for all of them.
  const { Session } = await import('chdb');
  const session = new Session(join(folder, 'clickhouse', 'store'));
  session.query("ALTER TABLE logs ADD CONSTRAINT no_poison CHECK position(body, 'poison') = 0");
  const tenants = ['acme', 'b', 'c', 'd', 'e'].map(parseTenantId);
  const sent = tenants.flatMap((tenant) =>
    Array.from({ length: 20 }, (_, i) => message(tenant, logs(`${tenant} ${String(i).padStart(2, '0')}`))),
  );
  sent.splice(30, 0, message(acme, logs('poison 1')), message(parseTenantId('b'), Buffer.from('no request')));
  sent.splice(60, 0, message(acme, logs('poison 2')), message(parseTenantId('c'), logs('no receive time'), {}));
  await bus.publish(TOPICS.otlpLogs, sent);
  const seen = new Set<string>();
  await vi.waitFor(
    async () => {
      for (const { status } of [await otlp.health(), await bus.health()]) seen.add(status);
      for (const tenant of tenants) expect(await bodies(tenant)).toHaveLength(20);
      expect(new Set(aside.map(({ value }) => value.toString('latin1'))).size).toBe(4);
    },
    { timeout: 30_000, interval: 50 },
  );
  expect([...seen]).toEqual(['ok']);
  const told = [...new Set(aside.map(({ tenant, reason }) => `${tenant} ${reason}`))].sort();
  expect(told).toEqual(['acme refused', 'b not_otlp', 'c not_otlp']);
  expect(aside.find(({ reason }) => reason === 'refused')?.error).toContain('no_poison');
}, 60_000);
