import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError, parseTenantId } from '#kernel';
import type { Relational } from '#relational';
import type { ColumnStore, Telemetry } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { raiseFailingEdges } from './failing-edges.ts';

const MINUTE = 60_000;
/** The evaluator looks at what is three minutes old. */
const NOW = Math.floor(Date.now() / MINUTE) * MINUTE;
const END = NOW / MINUTE - 3;

let telemetry: Telemetry;
beforeAll(async () => {
  telemetry = await openTestTelemetry();
});
afterAll(async () => await telemetry?.close());

interface Edge {
  minute: number;
  calls: number;
  errors: number;
  target?: string;
}

const WRITE = `INSERT INTO edges (tenant_id, minute, source, target, kind, calls, errors, version)
  SELECT {tenant:String}, m, 'web', t, 'call', c, e, 1
  FROM (SELECT arrayJoin(arrayZip({minutes:Array(UInt32)}, {calls:Array(UInt32)}, {errors:Array(UInt32)}, {targets:Array(String)})) AS z,
    z.1 AS m, z.2 AS c, z.3 AS e, z.4 AS t)`;
const WRITE_MINUTES = `INSERT INTO edge_minutes (tenant_id, minute, spans, version)
  SELECT {tenant:String}, arrayJoin({minutes:Array(UInt32)}), 1, 1`;

async function createWorld(name: string) {
  const tenant = parseTenantId(name);
  let nowMs = NOW;
  const open = new Map<string, Date>();
  const settled: RaisedSignal[][] = [];
  let isOn = true;
  let isAway = false;
  const incidents = {
    settle: async (_tenant: unknown, _scope: unknown, present: readonly RaisedSignal[]) => {
      settled.push([...present]);
      const keys = new Set(present.map(({ dedup_key: key }) => key));
      for (const key of open.keys()) if (!keys.has(key)) open.delete(key);
      for (const one of present) if (!open.has(one.dedup_key)) open.set(one.dedup_key, new Date(one.occurred_at));
    },
    openKeys: async () => [...open].map(([dedupKey, occurredAt]) => ({ dedupKey, occurredAt })),
    watchesEdges: async () => isOn,
  };
  const log = pino({ level: 'silent' });
  const relational = undefined as unknown as Relational;
  const store: ColumnStore = {
    ...telemetry.store,
    read: async (...asked) => {
      if (isAway) throw new AppError('unavailable', 'The column store does not answer.');
      return await telemetry.store.read(...asked);
    },
  };
  const deps = { store, relational, incidents, clock: { now: () => nowMs }, log };
  return {
    settled,
    setAway: (away: boolean) => {
      isAway = away;
    },
    switchOff: () => {
      isOn = false;
    },
    async write(edges: readonly Edge[]): Promise<void> {
      const minutes = edges.map(({ minute }) => minute);
      await telemetry.store.derive(tenant, WRITE, {
        ...{ minutes, calls: edges.map(({ calls }) => calls), errors: edges.map(({ errors }) => errors) },
        targets: edges.map(({ target = 'shop/checkout' }) => target),
      });
      await telemetry.store.derive(tenant, WRITE_MINUTES, { minutes: [...new Set(minutes)] });
    },
    mark: (minute: number) =>
      telemetry.store.derive(
        tenant,
        'INSERT INTO edge_marks (tenant_id, minute, writes, written_at) SELECT {tenant:String}, {minute:UInt32}, 1, now64(3)',
        { minute },
      ),
    async look(minutesLater = 0): Promise<string[] | undefined> {
      nowMs = NOW + minutesLater * MINUTE;
      const before = settled.length;
      await raiseFailingEdges(deps, tenant);
      return settled.length === before ? undefined : settled.at(-1)?.map(({ title }) => title);
    },
  };
}

const day = (errors: number): Edge[] => Array.from({ length: 200 }, (_, n) => ({ minute: END - 10 - n * 5, calls: 100, errors }));

test('an edge fails while more of its calls do than on any of the five minutes of the day before, and not by its own failures', async () => {
  const world = await createWorld('edges-a');
  await world.write([...day(2), ...[1, 2, 3, 4, 5].map((n) => ({ minute: END - n, calls: 100, errors: 20 }))]);
  expect(await world.look()).toEqual(['20 % of calls from web to shop/checkout fail']);
  // An hour later it still fails as much: what it did since then is not usual for it.
  await world.write(Array.from({ length: 60 }, (_, n) => ({ minute: END + n, calls: 100, errors: 20 })));
  expect(await world.look(60)).toEqual(['20 % of calls from web to shop/checkout fail']);
  await world.write(Array.from({ length: 5 }, (_, n) => ({ minute: END + 60 + n, calls: 100, errors: 1 })));
  expect(await world.look(65)).toEqual([]);
});

test('what is usual for an edge is no failure, nor is what is below 5 %', async () => {
  const world = await createWorld('edges-b');
  await world.write([...day(30), ...[1, 2, 3].map((n) => ({ minute: END - n, calls: 100, errors: 29 }))]);
  await world.write([1, 2, 3].map((n) => ({ minute: END - n, calls: 100, errors: 4, target: 'quiet' })));
  expect(await world.look()).toEqual([]);
});

test('a failing edge that is not called any more has recovered a quarter of an hour later', async () => {
  const world = await createWorld('edges-c');
  await world.write([{ minute: END - 1, calls: 100, errors: 90 }]);
  expect(await world.look()).toHaveLength(1);
  expect(await world.look(8)).toEqual(['Calls from web to shop/checkout failed']);
  expect(await world.look(20)).toEqual([]);
});

test('nothing is settled while minutes wait to be computed, and all recovers when it is switched off', async () => {
  const world = await createWorld('edges-d');
  await world.write([{ minute: END - 1, calls: 100, errors: 90 }]);
  expect(await world.look()).toHaveLength(1);
  await world.mark(END - 2);
  expect(await world.look()).toBeUndefined();
  world.switchOff();
  expect(await world.look()).toEqual([]);
  expect(await world.look()).toBeUndefined();
});

test('with the column store away nothing begins, ends or is told anew, and afterwards what changed meanwhile is', async () => {
  const world = await createWorld('edges-away');
  await world.write([...day(2), ...[1, 2, 3, 4, 5].map((n) => ({ minute: END - n, calls: 100, errors: 20 }))]);
  expect(await world.look()).toHaveLength(1);
  world.setAway(true);
  for (const minutes of [1, 2]) await expect(world.look(minutes)).rejects.toMatchObject({ code: 'unavailable' });
  expect(world.settled).toHaveLength(1);
  world.setAway(false);
  await world.write(Array.from({ length: 3 }, (_, n) => ({ minute: END + n, calls: 100, errors: 20 })));
  const [before] = world.settled[0] ?? [];
  expect(await world.look(3)).toEqual(['20 % of calls from web to shop/checkout fail']);
  expect(world.settled.at(-1)?.[0]?.dedup_key).toBe(before?.dedup_key);
});
