import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@svc/testkit/free-port';
import { afterAll, beforeAll, expect, test } from 'vitest';

let parent: string;
let env: Record<string, string>;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'svc-serve-'));
  const address = async () => `127.0.0.1:${await freePort()}`;
  env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    SVC_DATA_DIR: join(parent, 'data'),
    SVC_LISTEN_ADDR: await address(),
    SVC_AGENT_GRPC_ADDR: await address(),
    SVC_OTLP_GRPC_ADDR: await address(),
    SVC_OTLP_HTTP_ADDR: await address(),
    SVC_DRAIN_GRACE_SECONDS: '0',
    SVC_LOG_LEVEL: 'trace',
  };
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** `svc` from source, without an IPC channel, as a person or a supervisor starts it. */
function start(args: readonly string[], environment = env) {
  const argv = [
    '--conditions=svc-source',
    '--disable-warning=ExperimentalWarning',
    join(import.meta.dirname, '..', 'svc.ts'),
    ...args,
  ];
  const child = spawn(process.execPath, argv, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      output += data.toString();
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => output, ended };
}

test('a server started by hand logs the commands that print a link and a token, no secret, and mints none', async () => {
  const server = start(['serve']);
  try {
    await expect.poll(server.output, { timeout: 90_000 }).toContain('"msg":"ready"');
  } finally {
    server.child.kill('SIGTERM');
  }
  expect(await server.ended).toBe(0);
  expect(server.output()).toContain('admin-link --tenant default');
  expect(server.output()).toContain('enroll-token create --tenant default');
  expect(server.output()).not.toMatch(/token=|svc_(enr|pat|otlp)_/);
  const trail = start(['verify-audit', '--tenant', 'default']);
  expect(await trail.ended).toBe(0);
  // The tenant itself.
  expect(trail.output()).toContain('whole, 1 entries');
});

test('commands beside a running server print its addresses, whatever their own environment says', async () => {
  const server = start(['serve']);
  const { PATH = '', SVC_DATA_DIR = '', SVC_LISTEN_ADDR = '' } = env;
  const port = SVC_LISTEN_ADDR.split(':')[1];
  try {
    await expect.poll(server.output, { timeout: 90_000 }).toContain('"msg":"ready"');
    const link = start(['admin-link', '--tenant', 'default'], { PATH, SVC_DATA_DIR });
    const enrol = start(['enroll-token', 'create', '--tenant', 'default'], { PATH, SVC_DATA_DIR });
    expect([await link.ended, await enrol.ended]).toEqual([0, 0]);
    expect(link.output()).toContain(`https://localhost:${port}/auth/claim?token=`);
    expect(enrol.output()).toContain(`--server https://localhost:${port} --token`);
  } finally {
    server.child.kill('SIGTERM');
  }
  expect(await server.ended).toBe(0);
});

interface Manifest {
  files: { table: string; rows: number }[];
}

/** Of a tenant that was exported: rows by table, and what is printed. */
async function exportDefault(out: string): Promise<{ rows: Record<string, number>; output: string }> {
  const { PATH = '', SVC_DATA_DIR = '' } = env;
  const run = start(['tenant', 'export', 'default', '--out', out], { PATH, SVC_DATA_DIR });
  expect({ code: await run.ended, output: run.output() }).toMatchObject({ code: 0 });
  const { files } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as Manifest;
  return { rows: Object.fromEntries(files.map(({ table, rows }) => [table, rows])), output: run.output() };
}

test('a tenant is exported from a running server and from a data directory at rest, with the same rows', async () => {
  const server = start(['serve']);
  let served: Record<string, number>;
  try {
    await expect.poll(server.output, { timeout: 90_000 }).toContain('"msg":"ready"');
    const { rows, output } = await exportDefault(join(parent, 'served'));
    expect(output).toMatch(/^SHA-256 of manifest.json: [0-9a-f]{64}$/m);
    served = rows;
  } finally {
    server.child.kill('SIGTERM');
  }
  expect(await server.ended).toBe(0);
  const { rows } = await exportDefault(join(parent, 'alone'));
  // The trail of the second one has both entries of the first.
  const { audit_entries: before = 0 } = served;
  expect(before).toBeGreaterThan(0);
  expect(rows).toEqual({ ...served, audit_entries: before + 2 });
  const trail = start(['verify-audit', '--tenant', 'default']);
  expect(await trail.ended).toBe(0);
  expect(trail.output()).toContain(`whole, ${before + 3} entries`);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a %s to the whole group, which arrives a second time through bin/svc.js, drains',
  async (signal) => {
    const server = start(['serve']);
    try {
      await expect.poll(server.output, { timeout: 90_000 }).toContain('"msg":"ready"');
      server.child.kill(signal);
      await expect.poll(server.output, { timeout: 5000, interval: 1 }).toContain('"msg":"draining"');
    } finally {
      server.child.kill(signal);
    }
    expect(await server.ended).toBe(0);
    expect(server.output()).toContain('"msg":"stopped"');
    expect(server.output()).not.toContain('exiting');
  },
);
