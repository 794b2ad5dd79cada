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

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const openReplica = async (own: string) => {
  const pace = createPace(undefined, NO_HEADROOM);
  const fleet = createFleetPace({ relational: database.relational, pace, own, log });
  await fleet.start();
  return { pace, fleet };
};

test('a tenant whose rows one replica stores late is held at the other, and nobody else is', async () => {
  const [stores, receives] = [await openReplica('one'), await openReplica('two')];
  stores.fleet.stored('logs', flood, 10_000);
  stores.fleet.stored('logs', quiet, 100);
  await expect.poll(() => receives.pace.holdMs('logs', flood, 1), { timeout: 5000, interval: 10 }).toBe(4000);
  expect(receives.pace.holdMs('traces', flood, 1)).toBe(0);
  expect(receives.pace.holdMs('logs', quiet, 1)).toBe(0);
  // Its own report does not come back to it as another's.
  expect(stores.pace.holdMs('logs', flood, 1)).toBe(1000);
  await stores.fleet.close();
  await receives.fleet.close();
});

test('whoever stores many late batches tells of one a second', async () => {
  let told = 0;
  const stop = await database.relational.listen('otlp_pace', () => {
    told += 1;
  });
  const { fleet } = await openReplica('three');
  for (let i = 0; i < 100; i += 1) fleet.stored('metrics', flood, 5000);
  await expect.poll(() => told, { timeout: 5000, interval: 10 }).toBe(1);
  await sleep(200);
  expect(told).toBe(1);
  await fleet.close();
  await stop();
});
