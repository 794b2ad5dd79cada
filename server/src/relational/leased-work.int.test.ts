import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { createTenant } from './directory.ts';
import { assertFence, type Fence, type LeasedWork, startLeasedWork, visitTenants } from './leased-work.ts';
import type { Relational } from './port.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

const A = parseTenantId('a');
const log = pino({ level: 'silent' });

let database: TestDatabase;
let owner: pg.Client;
const started: LeasedWork[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of [A, 'b']) await createTenant(database.relational, { id, name: id });
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});
afterEach(async () => {
  for (const work of started.splice(0)) await work.close();
});
afterAll(async () => {
  await owner?.end();
  await database?.close();
});

/** A replica whose connection to the directory can be cut. */
function createReplica() {
  let isCut = false;
  const { relational } = database;
  const directory: Relational['directory'] = async (name, args) => {
    if (isCut) throw new Error('the database is away');
    return await relational.directory(name, args);
  };
  return {
    relational: { ...relational, directory },
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
    },
  };
}

interface Replica {
  fences: Fence[];
  work: LeasedWork;
}

function start(name: string, options: { relational?: Relational; ttlMs?: number; everyMs?: number } = {}): Replica {
  const { relational = database.relational, ttlMs = 300, everyMs = 20 } = options;
  const fences: Fence[] = [];
  const work = startLeasedWork(relational, { name, everyMs, ttlMs, log, work: async (fence) => void fences.push(fence) });
  started.push(work);
  return { fences, work };
}

const write = async (fence: Fence, during: () => Promise<void> = async () => {}): Promise<void> =>
  await database.relational.withSystemSql(A, async (sql) => {
    await assertFence(sql, fence);
    await during();
  });

const newest = async (replica: Replica): Promise<Fence> =>
  await vi.waitFor(() => replica.fences.at(-1) ?? Promise.reject(new Error('no run yet')), 10_000);

const setExpiry = async (name: string, expression: string): Promise<void> =>
  void (await owner.query(`UPDATE leases SET expires_at = ${expression} WHERE name = $1`, [name]));

test('one of two replicas works, run after run under one fence, and the other follows when it closes', async () => {
  const [one, two] = [start('two-holders'), start('two-holders')];
  await vi.waitFor(() => expect(one.fences.length + two.fences.length).toBeGreaterThan(4), 10_000);
  const [holder, other] = one.fences.length > 0 ? [one, two] : [two, one];
  expect(other.fences).toEqual([]);
  expect(new Set(holder.fences.map(({ number }) => number)).size).toBe(1);
  const before = await newest(holder);
  await write(before);
  await holder.work.close();
  const after = await newest(other);
  expect(after.number).toBeGreaterThan(before.number);
  expect(before.signal.aborted).toBe(true);
  await expect(write(before)).rejects.toMatchObject({ code: 'writer_unavailable' });
  await write(after);
});

test('a holder that the database does not hear loses its lease: its signal aborts and what it still writes is refused', async () => {
  const replica = createReplica();
  const cut = start('cut', { relational: replica.relational });
  const before = await newest(cut);
  const other = start('cut');
  replica.cut();
  const after = await newest(other);
  await vi.waitFor(() => expect(before.signal.aborted).toBe(true), 5000);
  await expect(write(before)).rejects.toMatchObject({ code: 'writer_unavailable' });
  replica.mend();
  await sleep(100);
  expect(cut.fences.every(({ number }) => number === before.number)).toBe(true);
  await other.work.close();
  await vi.waitFor(() => expect(cut.fences.at(-1)?.number).toBeGreaterThan(after.number), 10_000);
});

test('a long run keeps its lease, and ends when it is told to', async () => {
  let ended = false;
  const work = startLeasedWork(database.relational, {
    ...{ name: 'long', everyMs: 10, ttlMs: 200, log },
    work: async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      ended = true;
    },
  });
  await sleep(100);
  const other = start('long', { ttlMs: 200 });
  await sleep(600);
  expect(other.fences).toEqual([]);
  await work.close();
  expect(ended).toBe(true);
  await newest(other);
});

test('who takes over waits for a write that began in time', async () => {
  const replica = createReplica();
  const before = await newest(start('writing', { relational: replica.relational }));
  replica.cut();
  const order: string[] = [];
  const writing = write(before, async () => {
    await sleep(700);
    order.push('written');
  });
  const other = start('writing');
  const after = await newest(other);
  order.push('taken');
  await writing;
  expect(order).toEqual(['written', 'taken']);
  expect(after.number).toBeGreaterThan(before.number);
});

test('a clock that went back keeps nobody out, one that went ahead ends a lease and fences its holder', async () => {
  const replica = createReplica();
  const first = await newest(start('clock', { relational: replica.relational }));
  replica.cut();
  await setExpiry('clock', "now() + interval '1 day'");
  const second = start('clock');
  const secondFence = await newest(second);
  expect(secondFence.number).toBeGreaterThan(first.number);

  // Between two renewals of the second one.
  const third = createReplica();
  await vi.waitFor(async () => {
    await setExpiry('clock', "now() - interval '1 second'");
    const rows = await third.relational.directory<{ fence: string }>('take_fenced_lease', ['clock', 'third', 60_000]);
    expect(Number(rows[0]?.fence)).toBeGreaterThan(secondFence.number);
  }, 5000);
  await expect(write(secondFence)).rejects.toMatchObject({ code: 'writer_unavailable' });
  await vi.waitFor(() => expect(secondFence.signal.aborted).toBe(true), 5000);
});

test('a run that fails is followed by the next one', async () => {
  let runs = 0;
  const work = startLeasedWork(database.relational, {
    ...{ name: 'failing', everyMs: 10, log },
    work: async () => {
      runs += 1;
      throw new Error('broken');
    },
  });
  await vi.waitFor(() => expect(runs).toBeGreaterThan(2), 5000);
  await work.close();
});

test('visits every tenant though one fails, and none any more when the lease is lost', async () => {
  const abort = new AbortController();
  const fence = { lease: 'visits', number: 1, signal: abort.signal };
  const seen: TenantId[] = [];
  await visitTenants({ relational: database.relational, log }, fence, async (tenant) => {
    seen.push(tenant);
    throw new Error('broken');
  });
  expect(seen).toEqual(['a', 'b']);
  await visitTenants({ relational: database.relational, log }, fence, async (tenant) => {
    seen.push(tenant);
    abort.abort();
  });
  expect(seen).toEqual(['a', 'b', 'a']);
});
