import { readFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { enrolDevice, startSender } from './senders.ts';
import {
  cleanUp,
  findLeftovers,
  get,
  type Installation,
  makeEnrolToken,
  newInstallation,
  type RunningServer,
  startServer,
  stopServer,
  svc,
} from './server-process.ts';

const GRACE_MS = 3000;

let installation: Installation;
let server: RunningServer;
let token: string;
beforeEach(async () => {
  installation = await newInstallation({ SVC_DRAIN_GRACE_SECONDS: String(GRACE_MS / 1000) });
  server = await startServer(installation);
  token = await svc(installation, ['token', 'create', '--tenant', 'default', '--role', 'admin']);
});
afterEach(async () => {
  await stopServer(server);
  await cleanUp(installation);
});

interface Tally {
  answered: number;
  /** What became of each request that was not answered with 200. */
  lost: string[];
}

/**
 * Refused, or still in the kernel's queue when the listener went, which cuts it before TLS stood (with an end or a reset): a load balancer
 * tries the next server.
 */
const isNeverAccepted = (outgoing: ClientRequest, error: Error): boolean =>
  Reflect.get(error, 'syscall') === 'connect' || Reflect.get(outgoing.socket ?? {}, 'secureConnecting') === true;

/** Asks over and over, on one kept connection or on a new one each time, until nobody listens any more. */
async function keepAsking(keepAlive: boolean, tally: Tally): Promise<void> {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  const ca = readFileSync(join(installation.dataDir, 'tls', 'ca.crt'));
  for (let listening = true; listening; ) {
    await new Promise<void>((resolve) => {
      const outgoing = request(
        `https://127.0.0.1:${installation.http}/v1/endpoints?limit=1`,
        { agent, ca, servername: 'localhost', headers: { authorization: `Bearer ${token}` } },
        (answer) => {
          answer.resume();
          answer.on('error', (error) => tally.lost.push(String(error)));
          answer.on('end', () => {
            if (answer.statusCode === 200) tally.answered += 1;
            else tally.lost.push(`status ${answer.statusCode}`);
          });
          answer.on('close', resolve);
        },
      );
      outgoing.on('error', (error) => {
        if (isNeverAccepted(outgoing, error)) listening = false;
        else tally.lost.push(String(error));
        resolve();
      });
      outgoing.end();
    });
    await sleep(10);
  }
  agent.destroy();
}

const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });

/** Holds what GET /v1/members reads, so that a request for it lasts as long as the test wants, within the 10 s of a lock. */
async function holdMembers(): Promise<pg.Client> {
  const { postgres } = JSON.parse(readFileSync(join(installation.dataDir, 'run', 'server.json'), 'utf8'));
  const login = { port: postgres.port, user: 'svc_app', password: postgres.appPassword };
  const client = new pg.Client({ host: '127.0.0.1', database: 'svc', ...login });
  // Where the test fails before it lets go, PostgreSQL stops under it.
  client.on('error', () => {});
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE access_links IN ACCESS EXCLUSIVE MODE');
  return client;
}

async function countHeld(holder: pg.Client): Promise<number> {
  const { rows } = await holder.query("SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'access_links'::regclass");
  return rows.length;
}

test('while it drains /readyz says so at once, agents go, and no accepted request is lost', async () => {
  const enrolToken = await makeEnrolToken(installation, 1);
  const sender = startSender({ credentials: await enrolDevice(server.url, enrolToken, 'device') });
  const endSending = sender.keepAdding(20);
  const tallies = [true, true, false, false].map((keepAlive) => ({ keepAlive, answered: 0, lost: [] as string[] }));
  const asking = tallies.map((tally) => keepAsking(tally.keepAlive, tally));
  await vi.waitFor(() => expect(sender.acknowledged.size).toBeGreaterThan(20), { timeout: 30_000 });
  // However slow the machine, all four are well under way.
  await vi.waitFor(() => expect(tallies.every(({ answered }) => answered > 20)).toBe(true), { timeout: 30_000 });
  const holder = await holdMembers();
  const long = get(installation, '/v1/members', token).then(({ status }) => status, String);
  await vi.waitFor(async () => expect(await countHeld(holder)).toBe(1), { timeout: 5000, interval: 20 });

  const began = performance.now();
  const sinceMs = () => performance.now() - began;
  server.child.kill('SIGTERM');
  await vi.waitFor(async () => expect((await get(installation, '/readyz')).status).toBe(503), { timeout: 1000, interval: 20 });
  expect(JSON.parse((await get(installation, '/readyz')).body)).toEqual({ status: 'draining' });
  expect((await get(installation, '/healthz')).status).toBe(200);
  expect(await isRefused(installation.grpc)).toBe(true);
  expect(sinceMs()).toBeLessThan(GRACE_MS);
  await endSending();

  await Promise.all(asking);
  expect(sinceMs()).toBeGreaterThan(GRACE_MS - 50);
  for (const { answered, lost } of tallies) {
    expect(lost).toEqual([]);
    expect(answered).toBeGreaterThan(20);
  }
  await holder.query('ROLLBACK');
  await holder.end();
  expect(await long).toBe(200);
  expect(await server.exited).toBe(0);
  expect(findLeftovers(installation)).toEqual([]);
  await sender.stop();

  // What the device was not told to be kept, it still has.
  expect(sender.waiting() + sender.acknowledged.size).toBe(sender.spooled.size);
});
