import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { freePort } from '@svc/testkit/free-port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  cleanUp,
  findLeftovers,
  type Installation,
  newInstallation,
  type RunningServer,
  runServer,
  startServer,
  stopServer,
} from './server-process.ts';

/** A start that cannot come up says why within this, milliseconds, on a machine that is not busy. */
const FAULT_LIMIT_MS = 20_000;
const KEY = Buffer.alloc(32, 7).toString('base64');

let installation: Installation;
beforeAll(async () => {
  installation = await newInstallation();
});
afterAll(() => cleanUp(installation));

interface Failed {
  code: number | string;
  output: string;
  ms: number;
}

async function startInVain(env: Record<string, string>): Promise<Failed> {
  const began = performance.now();
  const server = await runServer({ ...installation, env });
  const code = await server.exited;
  return { code, output: server.output(), ms: performance.now() - began };
}

function take(port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server)));
}

test.each([
  ['SVC_LISTEN_ADDR', 'http'],
  ['SVC_AGENT_GRPC_ADDR', 'grpc'],
] as const)('a port that is taken ends with 1 and names %s, and leaves nothing running', async (key, which) => {
  const other = await take(installation[which]);
  try {
    const { code, output } = await startInVain({});
    expect(code).toBe(1);
    expect(output).toContain(`127.0.0.1:${installation[which]} is taken by another program`);
    expect(output).toContain(`set ${key}`);
    expect(findLeftovers(installation)).toEqual([]);
    expect(existsSync(`${installation.dataDir}/lock`)).toBe(false);
  } finally {
    other.close();
  }
});

test.each([
  ['PostgreSQL', 'SVC_DATABASE_URL', (port: number) => `postgres://svc_app:hidden@127.0.0.1:${port}/svc`],
  ['ClickHouse', 'SVC_CLICKHOUSE_URL', (port: number) => `http://svc:hidden@127.0.0.1:${port}`],
  ['Kafka', 'SVC_KAFKA_BROKERS', (port: number) => `127.0.0.1:${port}`],
])('%s that is not reached ends with 1 and is named', async (name, key, urlOf) => {
  const port = await freePort();
  const { code, output, ms } = await startInVain({ SVC_ENVELOPE_KEY: KEY, [key]: urlOf(port) });
  expect(code).toBe(1);
  const said = output.split('\n').find((line) => line.startsWith('svc: ')) ?? output;
  expect(said).toContain(name);
  expect(said).toContain(`127.0.0.1:${port}`);
  expect(said).toContain(key);
  expect(output).not.toContain('hidden');
  expect(ms).toBeLessThan(FAULT_LIMIT_MS);
  expect(findLeftovers(installation)).toEqual([]);
});

test('bad configuration is listed whole and ends with 2', async () => {
  const faults = { SVC_LISTEN_ADDR: 'x', SVC_KAFKA_BROKERS: 'no port', SVC_ENVELOPE_KEY: 'short', SVC_LISTEN_PRT: '1' };
  const { code, output } = await startInVain(faults);
  expect(code).toBe(2);
  for (const key of Object.keys(faults)) expect(output).toMatch(new RegExp(`^  ${key} .+`, 'm'));
});

test('a second server on the same data is refused, and the first goes on', async () => {
  const first: RunningServer = await startServer(installation);
  const second = await runServer({ ...installation, http: await freePort(), grpc: await freePort() });
  expect(await second.exited).toBe(1);
  expect(second.output()).toContain(`in use by process ${first.pid}`);
  expect(first.child.exitCode).toBe(null);
  expect(await stopServer(first)).toBe(0);
  expect(findLeftovers(installation)).toEqual([]);
});
