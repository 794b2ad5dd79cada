// The process that stores is killed between the bus and the store: what was answered with 202 is stored, and once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bus, createLogBus, createMemoryBus } from '#bus';
import { subscribeChanges } from './store/consume.ts';
import { createTestChanges, type TestChanges } from './test-changes.ts';

const log = pino({ level: 'silent' });
const kept: Parameters<Bus['publish']>[1][number][] = [];
const folders: string[] = [];
let world: TestChanges;

beforeAll(async () => {
  const bus = createMemoryBus({ log });
  // Nothing is stored but by those who are started here.
  world = await createTestChanges({ bus: { ...bus, publish: async (_topic, messages) => void kept.push(...messages) } });
});
afterAll(async () => {
  await world?.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const openBus = (folder: string) => createLogBus({ folder, log, maxBytes: 64 * 1024 ** 2 });

/** A bus on disk that holds a delivery which was answered with 202. */
async function acceptDelivery() {
  const tenant = await world.newTenant();
  const { webhook, secret } = await world.as(tenant).webhooks.create({ provider: 'generic', name: 'CI' });
  kept.length = 0;
  const events = ['a', 'b'].map((id) => ({ id, title: `Deploy ${id}`, occurred_at: '2026-06-02T11:49:00Z' }));
  expect(await world.tell({ id: webhook.id, secret }, events)).toMatchObject({ status: 202, body: { accepted: 2 } });
  const folder = mkdtempSync(join(tmpdir(), 'svc-changes-killed-'));
  folders.push(folder);
  const bus = await openBus(folder);
  await bus.publish(TOPICS.changes, kept);
  await bus.close();
  return { tenant, webhook: webhook.id, folder };
}

/** Ends by its own SIGKILL. */
async function storeAndDie(folder: string, moment: string): Promise<void> {
  const program = join(import.meta.dirname, 'store-child.ts');
  const args = ['--conditions=svc-source', program, world.database.appUrl, folder, moment];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
}

test.each([
  ['before the commit', 0],
  ['after the commit', 2],
])('a process that is killed %s left %i changes, and the next one makes them two, once', async (moment, left) => {
  const { tenant, webhook, folder } = await acceptDelivery();
  await storeAndDie(folder, moment);
  expect((await world.as(tenant).list({})).items).toHaveLength(left);
  const bus = await openBus(folder);
  const { relational } = world.database;
  const { subscription } = await subscribeChanges({ bus, relational, appendAudit: world.deps.appendAudit, log });
  try {
    await expect.poll(() => subscription.lag(), { timeout: 15_000, interval: 20 }).toBe(0);
  } finally {
    await subscription.close();
    await bus.close();
  }
  expect((await world.as(tenant).list({})).items.map(({ title }) => title).toSorted()).toEqual(['Deploy a', 'Deploy b']);
  const detail = await world.as(tenant).webhooks.get({ id: webhook });
  expect(detail).toMatchObject({ webhook: { deliveries: 1, events_stored: 2 }, last: [{ events: 2 }] });
  const told = world.trail.filter((entry) => entry.tenant === tenant && entry.action === 'change.ingest');
  expect(told).toHaveLength(left === 0 ? 1 : 0);
});
