import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { enrolDevice, type Sender, startSender } from './senders.ts';
import {
  cleanUp,
  findLeftovers,
  get,
  type Installation,
  makeEnrolToken,
  newInstallation,
  post,
  type RunningServer,
  startServer,
  stopServer,
  svc,
} from './server-process.ts';
import { waitForShown } from './shown-results.ts';
import { moveToSmallDisk, noSmallDisk, type SmallDisk } from './small-disk.ts';

if (noSmallDisk) process.stderr.write(`SKIPPED: a full disk under the server: ${noSmallDisk}\n`);

let installation: Installation;
let server: RunningServer;
let disk: SmallDisk | undefined;
let token: string;
let sender: Sender;
let endSending: () => Promise<void>;

beforeEach(async () => {
  installation = await newInstallation();
});
afterEach(async () => {
  await sender?.stop();
  await stopServer(server);
  disk?.unmount();
  disk = undefined;
  await cleanUp(installation);
});

/** A server whose folder (of the data directory, '' for all of it) lies on a small disk, with a device that sends all the time. */
async function startOnSmallDisk(folder: string): Promise<SmallDisk> {
  server = await startServer(installation);
  token = await svc(installation, ['token', 'create', '--tenant', 'default', '--role', 'admin']);
  const credentials = await enrolDevice(server.url, await makeEnrolToken(installation, 1), 'device');
  await stopServer(server);
  disk = moveToSmallDisk(join(installation.dataDir, folder), { megabytes: 24 });
  server = await startServer(installation);
  sender = startSender({ credentials });
  endSending = sender.keepAdding(10);
  await vi.waitFor(() => expect(sender.acknowledged.size).toBeGreaterThan(100), { timeout: 30_000 });
  return disk;
}

const expectReady = (status: number, components: object) =>
  vi.waitFor(
    async () => {
      const answer = await get(installation, '/readyz');
      expect([answer.status, JSON.parse(answer.body).components]).toEqual([status, expect.objectContaining(components)]);
    },
    { timeout: 30_000, interval: 500 },
  );

const expectGrowth = async (size: () => number, by: number) => {
  const before = size();
  await vi.waitFor(() => expect(size()).toBeGreaterThan(before + by), { timeout: 30_000 });
};

/** Everything that was ever spooled is acknowledged and shown, once. */
async function expectNothingLost(): Promise<void> {
  await endSending();
  await vi.waitFor(() => expect(sender.waiting()).toBe(0), { timeout: 60_000 });
  expect(sender.rejected()).toBe(0);
  expect(sender.acknowledged).toEqual(sender.spooled);
  const shown = await waitForShown({ installation, token, agentId: sender.agentId }, sender.spooled.size);
  const ids = shown.map((one) => one.result_id);
  expect(ids.length).toBe(new Set(ids).size);
  expect(new Set(ids)).toEqual(sender.spooled);
  await expectReady(200, { bus: 'ok', telemetry: 'ok', results: 'ok' });
}

const mint = (name: string) => post(installation, '/v1/tokens', { token, json: { name, roles: ['viewer'] } });

describe.skipIf(noSmallDisk)('a disk that is full', () => {
  test('under the log: devices keep what they measure, /readyz says so, and all of it comes once there is room', async () => {
    const small = await startOnSmallDisk('log');
    small.fill();
    await expectReady(503, { bus: 'failed', relational: 'ok' });
    const acknowledged = sender.acknowledged.size;
    await expectGrowth(sender.waiting, 300);
    expect(sender.acknowledged.size).toBe(acknowledged);
    expect((await get(installation, '/v1/endpoints', token)).status).toBe(200);
    small.makeRoom();
    await expectNothingLost();
  });

  test('under ClickHouse: results wait in the log, /readyz says so, and all of it is stored once there is room', async () => {
    const small = await startOnSmallDisk('clickhouse');
    small.fill();
    await expectReady(200, { results: 'degraded', bus: 'degraded' });
    await expectGrowth(() => sender.acknowledged.size, 300);
    small.makeRoom();
    await expectNothingLost();
  });

  test('under PostgreSQL: changes are refused with the reason, results are taken, and changes work once there is room', async () => {
    const small = await startOnSmallDisk('postgres');
    small.fill();
    const made: string[] = [];
    let refused = await mint('t-0');
    for (let n = 1; refused.status === 201 && n < 900; n += 1) {
      made.push(JSON.parse(refused.body).id);
      refused = await mint(`t-${n}`);
    }
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      503,
      expect.objectContaining({ code: 'unavailable', detail: expect.stringContaining('The disk of the database is full') }),
    ]);
    await expectReady(200, { relational: 'degraded' });
    await expectGrowth(() => sender.acknowledged.size, 300);
    small.makeRoom();
    const after = await mint('after');
    expect(after.status).toBe(201);
    const listed = JSON.parse((await get(installation, '/v1/tokens?limit=1000', token)).body) as { items: { id: string }[] };
    expect(listed.items.map(({ id }) => id)).toEqual(expect.arrayContaining([...made, JSON.parse(after.body).id]));
    expect(JSON.parse((await get(installation, '/v1/audit/verify', token)).body)).toMatchObject({ ok: true });
    await expectNothingLost();
  });

  test('under everything, until PostgreSQL cannot even log: the server ends with 1, and the next start has all of it', async () => {
    const small = await startOnSmallDisk('');
    small.fill();
    await expectReady(503, { bus: 'failed' });
    const { postgres } = JSON.parse(readFileSync(join(installation.dataDir, 'run', 'server.json'), 'utf8'));
    const login = { port: postgres.port, user: 'postgres', password: postgres.superPassword };
    const useUpLog = async () => {
      const client = new pg.Client({ host: '127.0.0.1', database: 'svc', ...login });
      client.on('error', () => {});
      await client.connect();
      for (;;) await client.query("SELECT pg_logical_emit_message(false, 'fill', 'x'), pg_switch_wal()");
    };
    await expect(useUpLog()).rejects.toThrow();
    let hasEnded = false;
    const ended = server.exited.finally(() => {
      hasEnded = true;
    });
    // It comes back by itself while there is room for that, as where somebody else has let go of some meanwhile.
    while (!hasEnded) {
      small.fill();
      await useUpLog().catch(() => undefined);
      await sleep(100);
    }
    expect(await ended).toBe(1);
    expect(server.output()).toContain('PostgreSQL stopped unexpectedly');
    await vi.waitFor(() => expect(findLeftovers(installation)).toEqual([]), { timeout: 10_000 });
    const waiting = sender.waiting();
    await expectGrowth(sender.waiting, 100);
    expect(waiting).toBeGreaterThan(0);
    small.makeRoom();
    server = await startServer(installation);
    await expectNothingLost();
  });
});
