// `svc canary run` as a process of its own, killed with -9 in the midst of a test and without a connection.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from '@svc/contracts/tests/test';
import { enrolHere } from '@svc/runner/remote/run-canary';
import { readRecords } from '@svc/runner/spool/segment-file';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ACME, openRunnerProduct } from './test-runner-product.ts';

const SVC = fileURLToPath(new URL('../svc.ts', import.meta.url));
// A process begins within a second, and on a machine that is busy within half a minute.
const soon = { timeout: 120_000, interval: 50 };
const ANSWER_MS = 400;

let opened: Awaited<ReturnType<typeof openRunnerProduct>>;
let stateFolder: string;
let slow: Server;
/** Requests that are open now. */
let open = 0;
let asked = 0;
let running: ChildProcess | undefined;
let runnerId: string;
let isCut = false;
const sockets = new Set<Socket>();

/** The way to the listener, which can be cut. */
async function openWay(to: number): Promise<number> {
  const way = createTcpServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(to, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
    return undefined;
  }).listen(0, '127.0.0.1');
  way.unref();
  await once(way, 'listening');
  return (way.address() as AddressInfo).port;
}

beforeAll(async () => {
  opened = await openRunnerProduct();
  stateFolder = join(opened.folder, 'canary');
  slow = createServer((_, response) => {
    open += 1;
    asked += 1;
    response.once('close', () => {
      open -= 1;
    });
    setTimeout(() => response.end('fine'), ANSWER_MS);
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  const { token } = await opened.callerOf(ACME).runners.createToken({ name: 'lab' });
  const server = `https://127.0.0.1:${opened.ports.http}`;
  ({ runnerId } = await enrolHere({ stateFolder, server, token, name: 'porto', labels: {}, version: '0.1.0' }));
  const identity = join(stateFolder, 'identity.json');
  const kept = JSON.parse(await readFile(identity, 'utf8')) as object;
  await writeFile(identity, JSON.stringify({ ...kept, grpc_addr: `127.0.0.1:${await openWay(opened.ports.grpc)}` }));
}, 180_000);
afterAll(async () => {
  running?.kill('SIGKILL');
  for (const socket of sockets) socket.destroy();
  slow?.closeAllConnections();
  slow?.close();
  await opened?.close();
});

function start(): void {
  const env = { SVC_DATA_DIR: opened.folder, SVC_CANARY_STATE_DIR: stateFolder, SVC_TARGETS_ALLOW: '127.0.0.1' };
  running = spawn(process.execPath, [SVC, 'canary', 'run'], { env, stdio: 'ignore' });
}

async function kill(): Promise<void> {
  const exited = once(running as ChildProcess, 'exit');
  running?.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
}

const addTests = async (count: number): Promise<Test[]> => {
  const target = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
  return await Promise.all(
    Array.from({ length: count }, () => opened.addTest(ACME, { mode: 'named', runners: [runnerId] }, { target })),
  );
};

/** As readers see them: what was sent twice is one result. */
const idsOf = async (tests: readonly Test[]): Promise<string[]> => {
  const text = `SELECT result_id FROM results FINAL WHERE tenant_id = {tenant:String} AND test_id IN (${tests.map(({ id }) => `'${id}'`)})`;
  return (await opened.telemetry.store.read<{ result_id: string }>(ACME, text, {})).map(({ result_id }) => result_id);
};

/** What the process left on disk and has not sent, or whose acknowledgement it did not live to see. */
async function readSpool(): Promise<string[]> {
  const folder = join(stateFolder, 'spool');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.reports'));
  const records = (await Promise.all(files.map((name) => readRecords(join(folder, name))))).flat();
  return records.map((record) => (JSON.parse(record.toString('utf8')) as { result_id: string }).result_id);
}

it('loses nothing of what it had measured, tells nothing twice, and goes on, whenever it is killed', async () => {
  const tests = await addTests(5);
  start();
  await vi.waitFor(async () => expect((await idsOf(tests)).length).toBeGreaterThan(5), soon);
  for (let round = 0; round < 3; round += 1) {
    await vi.waitFor(() => expect(open).toBeGreaterThan(0), { timeout: 20_000, interval: 5 });
    await kill();
    const [arrived, left] = [await idsOf(tests), await readSpool()];
    start();
    await vi.waitFor(async () => {
      const ids = await idsOf(tests);
      expect(ids).toEqual(expect.arrayContaining([...arrived, ...left]));
      expect(ids.length).toBeGreaterThan(new Set([...arrived, ...left]).size + 3);
      expect(new Set(ids).size).toBe(ids.length);
    }, soon);
  }
}, 600_000);

it('has its plan and what it measured when it is killed and started without the server', async () => {
  const tests = await addTests(2);
  await vi.waitFor(async () => expect((await idsOf(tests)).length).toBeGreaterThan(2), soon);
  // Until the plan is on disk.
  await vi.waitFor(async () => {
    const text = await readFile(join(stateFolder, 'plan.jsonl'), 'utf8');
    for (const test of tests) expect(text).toContain(test.id);
  }, soon);
  isCut = true;
  for (const socket of sockets) socket.destroy();
  await kill();
  start();
  const before = asked;
  await vi.waitFor(() => expect(asked).toBeGreaterThan(before + 10), soon);
  await vi.waitFor(async () => expect((await readSpool()).length).toBeGreaterThan(5), soon);
  await kill();
  const left = await readSpool();
  isCut = false;
  start();
  await vi.waitFor(async () => {
    const ids = (await opened.telemetry.store.read<{ result_id: string }>(ACME, ALL, { runner: runnerId })).map(
      ({ result_id }) => result_id,
    );
    expect(ids).toEqual(expect.arrayContaining(left));
    expect(new Set(ids).size).toBe(ids.length);
  }, soon);
}, 600_000);

const ALL = 'SELECT result_id FROM results FINAL WHERE tenant_id = {tenant:String} AND agent_id = {runner:String}';
