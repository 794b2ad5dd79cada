import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Topic } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import type { TenantId } from '#kernel';
import { createLogBus } from '../log.ts';
import type { Bus, BusBatch, BusMessage } from '../port.ts';
import { quickPause } from '../test-pause.ts';
import { createTestDisk, seededRandom, type TestDisk } from './test-disk.ts';

const TOPIC = 'svc.endpoint.results' as Topic;
const TENANTS = ['a', 'b', 'c', 'd', 'e'] as TenantId[];
const silent = pino({ level: 'silent' });

const openOn = (files: TestDisk): Promise<Bus> =>
  createLogBus({ folder: '/log', log: silent, files, segmentBytes: 30_000, tailBytes: 8_000, pause: quickPause });

interface World {
  random: () => number;
  acknowledged: Set<string>;
  handled: Set<string>;
  sent: Map<TenantId, number>;
}

const body = (tenant: TenantId, number: number, random: () => number) =>
  Buffer.from(`${tenant}:${number}:${'x'.repeat(Math.floor(random() ** 3 * 9000))}`);
const idOf = (message: BusMessage) => message.value.toString().split(':').slice(0, 2).join(':');

/** One publisher, one call after another, until the power goes. */
async function publishOn(bus: Bus, tenant: TenantId, world: World): Promise<void> {
  for (;;) {
    const count = 1 + Math.floor(world.random() * 6);
    const from = world.sent.get(tenant) ?? 0;
    const numbers = Array.from({ length: count }, (_, index) => from + index);
    world.sent.set(tenant, from + count);
    try {
      await bus.publish(
        TOPIC,
        numbers.map((number) => ({ tenant, value: body(tenant, number, world.random) })),
      );
    } catch {
      return;
    }
    for (const number of numbers) world.acknowledged.add(`${tenant}:${number}`);
  }
}

/** Whole messages, each tenant's in order; sometimes the store stumbles, and the batch comes again. */
async function handleSome(batch: BusBatch, world: World, wrong: unknown[]): Promise<void> {
  await turn();
  const last = new Map<string, number>();
  for (const message of batch.messages) {
    const [tenant, number, rest] = message.value.toString().split(':') as [string, string, string];
    const right = tenant === message.tenant && /^x*$/.test(rest) && Number(number) > (last.get(tenant) ?? -1);
    if (!right) wrong.push({ tenant, number, before: last.get(tenant) });
    last.set(tenant, Number(number));
  }
  if (world.random() < 0.2) throw new Error('the store stumbles');
  for (const message of batch.messages) world.handled.add(idOf(message));
}

async function oneLife(disk: TestDisk, world: World): Promise<TestDisk> {
  const bus = await openOn(disk);
  const wrong: unknown[] = [];
  await bus.subscribe({ topic: TOPIC, group: 'work', maxMessages: 20 }, (batch) => handleSome(batch, world, wrong));
  const publishers = TENANTS.map((tenant) => publishOn(bus, tenant, world));
  for (let turns = Math.floor(world.random() * 400); turns > 0; turns--) await turn();
  if (world.random() < 0.3) await sleep(210);
  const left = disk.cutPower();
  await Promise.all(publishers);
  await bus.close();
  expect(wrong).toEqual([]);
  return left;
}

/** After the last cut everything acknowledged has been handled or is delivered now, and new messages go behind it. */
async function checkRest(disk: TestDisk, world: World): Promise<void> {
  const bus = await openOn(disk);
  expect(await bus.health()).toEqual({ status: 'ok' });
  const offsets = new Map<string, bigint>();
  await bus.subscribe({ topic: TOPIC, group: 'work' }, async ({ messages }) => {
    for (const message of messages) {
      expect(message.offset).toBeGreaterThan(offsets.get(message.tenant) ?? -1n);
      offsets.set(message.tenant, message.offset);
      world.handled.add(idOf(message));
    }
  });
  await bus.publish(
    TOPIC,
    TENANTS.map((tenant) => ({ tenant, value: Buffer.from(`${tenant}:last:`) })),
  );
  const ends = () => TENANTS.every((tenant) => world.handled.has(`${tenant}:last`));
  for (let waited = 0; !ends() && waited < 5000; waited += 5) await sleep(5);
  expect(ends()).toBe(true);
  expect([...world.acknowledged].filter((id) => !world.handled.has(id))).toEqual([]);
  await bus.close();
}

describe.each([
  ['in blocks past the cache', true],
  ['through the cache', false],
])('power cut, %s: unsynced pages are lost, torn, out of order; names and lengths too', (_, direct) => {
  test.each(Array.from({ length: 12 }, (_, index) => index + 1))('seed %i keeps everything acknowledged', async (seed) => {
    const world: World = { random: seededRandom(seed * 7919), acknowledged: new Set(), handled: new Set(), sent: new Map() };
    let disk = createTestDisk(seed);
    disk.direct = direct;
    for (let life = 0; life < 4; life++) disk = await oneLife(disk, world);
    await checkRest(disk, world);
    expect(world.acknowledged.size).toBeGreaterThan(50);
  });

  test('the test itself can fail: a disk that lies about syncing loses what was acknowledged', async () => {
    let lost = 0;
    for (let seed = 1; seed <= 5; seed++) {
      const world: World = { random: seededRandom(seed), acknowledged: new Set(), handled: new Set(), sent: new Map() };
      const disk = createTestDisk(seed);
      disk.direct = direct;
      const open = disk.open;
      disk.open = async (path, mode) => ({ ...(await open(path, mode)), sync: async () => {} });
      const bus = await openOn(disk);
      const publishers = TENANTS.map((tenant) => publishOn(bus, tenant, world));
      for (let turns = 0; turns < 100; turns++) await turn();
      const left = disk.cutPower();
      await Promise.all(publishers);
      await bus.close();
      lost += await checkRest(left, world).then(
        () => 0,
        () => 1,
      );
    }
    expect(lost).toBeGreaterThan(0);
  });
});

test('files that were let go of leave no hole when some of them come back', async () => {
  const [disk, random] = [createTestDisk(1), seededRandom(1)];
  const bus = await openOn(disk);
  const world: World = { random, acknowledged: new Set(), handled: new Set(), sent: new Map() };
  const files = () => disk.paths().filter((path) => path.endsWith('.log')).length;
  const fill = async (): Promise<void> => {
    // Files end at different places, so that one that is written again has something else behind its end.
    for (let number = 0; number < 40; number++) {
      const value = Buffer.alloc(3000 + Math.floor(random() * 1500));
      await bus.publish(TOPIC, [{ tenant: 'a' as TenantId, value }]);
    }
  };
  await fill();
  await bus.subscribe({ topic: TOPIC, group: 'work' }, async () => {});
  await vi.waitUntil(() => files() === 1);
  await fill();
  await vi.waitUntil(() => files() === 1);
  for (let cut = 0; cut < 50; cut++) await checkRest(disk.cutPower(), world);
  await bus.close();
});
