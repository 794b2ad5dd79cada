// The process that settles is killed, the store is away, the clock jumps: one event stays one incident, and is told once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TenantId } from '#kernel';
import { type LeasedWork, startLeasedWork } from '#relational';
import type { IncidentTransition } from './context.ts';
import { createTestIncidents, type TestIncidents } from './test-incidents.ts';
import { SETTLED_BY, settledSignal } from './test-settled.ts';

let world: TestIncidents;
let tenant: TenantId;
const told: IncidentTransition[] = [];

beforeAll(async () => {
  world = await createTestIncidents({
    observers: [async (_sql, transitions) => void told.push(...transitions)],
  });
});
afterAll(async () => await world?.database.close());
beforeEach(async () => {
  tenant = await world.newTenant();
  told.length = 0;
});

const list = async () => (await world.as(tenant).incidents.list({})).items;
const signals = async () => (await world.as(tenant).signals.list({})).items;
const SCOPE = { plane: 'tests', kind: 'test.failing', scope: 'all' } as const;

/** Ends by its own SIGKILL. */
async function settleAndDie(moment: string): Promise<void> {
  const args = ['--conditions=svc-source', join(import.meta.dirname, 'settle-child.ts'), world.database.appUrl, tenant, moment];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
}

/** The other replica, which does the same work where the lease is free. */
function startOther(): LeasedWork {
  return startLeasedWork(world.database.relational, {
    ...{ name: SETTLED_BY, everyMs: 100, log: world.deps.log },
    work: async (fence) => await world.slice.settle(tenant, { ...SCOPE, fence }, [settledSignal(tenant)]),
  });
}

test.each([
  ['before the commit', 0],
  ['after the commit', 1],
])(
  'a process that is killed %s left %i incidents, and the one that takes over makes it one',
  async (moment, left) => {
    await settleAndDie(moment);
    expect(await list()).toHaveLength(left);
    const other = startOther();
    try {
      // The lease of the killed one runs out first.
      await expect.poll(list, { timeout: 40_000 }).toMatchObject([{ number: 1, status: 'open', signal_count: 1 }]);
      await expect
        .poll(async () => (await signals())[0]?.last_seen_at, { timeout: 40_000 })
        .toBe(new Date(world.now()).toISOString());
    } finally {
      await other.close();
    }
    expect(await list()).toHaveLength(1);
    expect(await signals()).toHaveLength(1);
    const { entries } = await world.as(tenant).incidents.get({ id: (await list())[0]?.id ?? '' });
    expect(entries.map(({ kind }) => kind)).toEqual(['opened']);
    expect(told.map(({ kind }) => kind)).toEqual(left === 0 ? ['opened'] : []);
  },
  90_000,
);

test('a clock that jumps by hours, either way, makes two of no event and ends none before it began', async () => {
  const failing = world.failing({ occurred_at: new Date(world.now()).toISOString() });
  const settle = async (...present: (typeof failing)[]) => await world.slice.settle(tenant, SCOPE, present);
  await settle(failing);
  for (const minutes of [-120, 240, -300, 180]) {
    world.pass(minutes);
    await settle(failing);
    await world.keep(tenant);
  }
  expect(await list()).toMatchObject([{ number: 1, status: 'open', signal_count: 1, open_signal_count: 1 }]);
  // It recovers by a clock that is behind its beginning.
  world.pass(-600);
  await settle();
  const [signal] = await signals();
  expect(Date.parse(signal?.recovered_at ?? '')).toBeGreaterThanOrEqual(Date.parse(signal?.occurred_at ?? ''));
  world.pass(610);
  await settle(failing);
  expect(await list()).toMatchObject([{ number: 1, status: 'open', signal_count: 2, open_signal_count: 1 }]);
});
