import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createFleetPace } from './fleet-pace.ts';
import { createPace } from './pace.ts';

const [flood, quiet] = [parseTenantId('flood'), parseTenantId('quiet')];
const log = pino({ level: 'silent' });
const NO_HEADROOM = { holdMs: () => 0 };
const HOUR_MS = 3_600_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** With a clock of its own, that is set where another replica's is not. */
const openReplica = async (aheadMs: number) => {
  let now = 10 * HOUR_MS + aheadMs;
  const nowMs = () => now;
  const pace = createPace(nowMs, NO_HEADROOM);
  const fleet = createFleetPace({ relational: database.relational, pace, own: randomUUID(), nowMs, log });
  await fleet.start();
  const wait = (ms: number): void => {
    now += ms;
  };
  return { pace, fleet, wait, close: fleet.close };
};

const storedOf = (tenant: typeof flood, receipt: string | undefined, isBesideOthers = true) => ({
  ...{ signal: 'logs' as const, tenant, receipt, isBesideOthers },
  receivedAtMs: 0,
});

test.each([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
])(
  'replicas whose clocks are an hour apart (%s) hold whom the receiver itself finds late, and nobody else',
  async (_, aheadMs) => {
    const [stores, receives] = [await openReplica(aheadMs), await openReplica(0)];
    const [late, soon] = [receives.fleet.receipt(), receives.fleet.receipt()];
    receives.wait(200);
    stores.fleet.noteStored(storedOf(quiet, soon));
    // The reports come in their order: this one is the last.
    const marker = parseTenantId('marker');
    receives.wait(9800);
    const inTime = receives.fleet.receipt();
    stores.fleet.noteStored(storedOf(flood, late));
    stores.fleet.noteStored(storedOf(marker, late));
    await expect.poll(() => receives.pace.holdMs('logs', marker, 1), { timeout: 5000, interval: 10 }).toBe(4000);
    expect(receives.pace.holdMs('logs', flood, 1)).toBe(4000);
    expect(receives.pace.holdMs('traces', flood, 1)).toBe(0);
    // Where it is stored nobody is held for it: that process did not receive it.
    expect(stores.pace.holdMs('logs', flood, 1)).toBe(0);

    stores.wait(1001);
    stores.fleet.noteStored(storedOf(flood, inTime));
    await expect.poll(() => receives.pace.holdMs('logs', flood, 1), { timeout: 5000, interval: 10 }).toBe(0);
    await stores.close();
    await receives.close();
  },
);

test('rows that are stored soon hold nobody, whatever the clock of the one that stores them says', async () => {
  const [stores, receives] = [await openReplica(HOUR_MS), await openReplica(0)];
  stores.fleet.noteStored(storedOf(quiet, receives.fleet.receipt()));
  await sleep(300);
  expect(receives.pace.holdMs('logs', quiet, 1)).toBe(0);
  await stores.close();
  await receives.close();
});

test('a tenant that nobody waits behind is held as where one process does both', async () => {
  const [stores, receives] = [await openReplica(0), await openReplica(0)];
  const receipt = receives.fleet.receipt();
  receives.wait(10_000);
  stores.fleet.noteStored(storedOf(flood, receipt, false));
  await expect.poll(() => receives.pace.holdMs('logs', flood, 1), { timeout: 5000, interval: 10 }).toBe(1000);
  const own = stores.fleet.receipt();
  stores.wait(10_000);
  stores.fleet.noteStored(storedOf(flood, own));
  expect(stores.pace.holdMs('logs', flood, 1)).toBe(1000);
  await stores.close();
  await receives.close();
});

test('what has no receipt of a replica holds nobody', async () => {
  const replica = await openReplica(0);
  for (const receipt of [undefined, '', 'odd', `${randomUUID()}/x`, `${randomUUID()}/1 beside\nlogs`])
    replica.fleet.noteStored({ ...storedOf(flood, receipt), receivedAtMs: 1 });
  expect(replica.pace.holdMs('logs', flood, 1)).toBe(0);
  await replica.close();
});

test('whoever stores many batches tells each receiver of one a second', async () => {
  let told = 0;
  const stop = await database.relational.listen('otlp_pace', () => {
    told += 1;
  });
  const [stores, receives] = [await openReplica(0), await openReplica(0)];
  for (let i = 0; i < 100; i += 1) stores.fleet.noteStored(storedOf(flood, receives.fleet.receipt()));
  await expect.poll(() => told, { timeout: 5000, interval: 10 }).toBe(1);
  await sleep(200);
  expect(told).toBe(1);
  await stores.close();
  await receives.close();
  await stop();
});
