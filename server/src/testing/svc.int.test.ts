import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDataDir } from '../process/data-dir.ts';

let parent: string;
let path: string;
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  path = join(parent, 'data');
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** `svc` as a process of its own, from source, with nothing in its environment but what is given. */
async function svc(args: readonly string[], env: Record<string, string> = {}, input = ''): Promise<Ended> {
  const argv = [
    '--conditions=svc-source',
    '--disable-warning=ExperimentalWarning',
    join(import.meta.dirname, '..', 'svc.ts'),
    ...args,
  ];
  const child = spawn(process.execPath, argv, {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', SVC_DATA_DIR: path, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 90_000,
  });
  // One that reads nothing may be gone by then.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout.on('data', (data: Buffer) => {
    ended.out += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    ended.err += data.toString();
  });
  ended.code = await new Promise((resolve) => child.once('close', resolve));
  return ended;
}

test('help works whatever the environment holds, bad usage ends with 2', async () => {
  const help = await svc(['--help'], { SVC_NONSENSE: '1', SVC_DATA_DIR: 'relative' });
  expect(help).toMatchObject({ code: 0, err: '' });
  expect(help.out).toMatch(/serve[\s\S]*migrate[\s\S]*gen-cert[\s\S]*tenant create[\s\S]*tenant list/);
  expect(await svc(['tenant', 'create'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('ID is missing') });
  const hostile = await svc(['tenant\u001b[2J\u009b31m']);
  expect(hostile.err).toContain('There is no command "tenant\\u001b[2J\\u009b31m"');
  expect(await svc(['tenant', 'create', 'A B'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('1 to 63 characters of a-z'),
  });
});

test('every fault of the configuration is listed in one go, and nothing is made', async () => {
  const ended = await svc(['serve'], { SVC_LISTEN_ADDR: 'x', SVC_ROLES: 'y', SVC_AUTH_MODE: 'dev', SVC_LISTEN_PORT: '1' });
  expect(ended.code).toBe(2);
  for (const key of ['SVC_LISTEN_ADDR', 'SVC_ROLES', 'SVC_AUTH_MODE', 'SVC_LISTEN_PORT'])
    expect(ended.err).toMatch(new RegExp(`^  ${key} .+`, 'm'));
  expect(existsSync(path)).toBe(false);
});

test('tenants are made and listed alone under the lock, audited, and nothing stays running', async () => {
  expect(await svc(['tenant', 'create', 'acme', '--name', 'Acme Inc'])).toMatchObject({ code: 0, out: 'Tenant acme created.\n' });
  expect(await svc(['tenant', 'create', 'acme'])).toMatchObject({ code: 1, err: 'svc: Tenant acme already exists.\n' });
  const listed = await svc(['tenant', 'list', '--json']);
  expect(JSON.parse(listed.out)).toMatchObject([{ id: 'acme', name: 'Acme Inc', simulated: false }]);
  const set = (word: string, id = 'acme') => svc(['tenant', 'set', id, '--ai-remote-egress', word]);
  expect(await set('on')).toMatchObject({
    ...{ code: 0, out: 'Tenant acme consents to sending telemetry to a model that runs elsewhere.\n' },
  });
  expect((await set('on')).out).toMatch(/, as before\.$/m);
  expect(await set('perhaps')).toMatchObject({ code: 2, err: expect.stringContaining('--ai-remote-egress is on or off.') });
  expect(await set('on', 'nobody')).toMatchObject({ code: 1, err: expect.stringContaining('nobody') });
  expect(existsSync(join(path, 'postgres', 'postmaster.pid'))).toBe(false);
  expect(existsSync(join(path, 'lock'))).toBe(false);
});

test('a certificate is made for the hosts that are asked for', async () => {
  const made = await svc(['gen-cert', '--hosts', 'svc.example,10.1.2.3']);
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(made.out).toContain('Hosts       svc.example, 10.1.2.3');
  expect(readFileSync(join(path, 'tls', 'server.crt'), 'utf8')).toContain('BEGIN CERTIFICATE');
  expect(await svc(['gen-cert', '--hosts', 'not a host'])).toMatchObject({ code: 2 });
});

test('migrate refuses beside a running server, and otherwise says what it did', async () => {
  const dataDir = openDataDir(path);
  expect(await svc(['migrate'])).toMatchObject({ code: 1, err: expect.stringContaining(`in use by process ${process.pid}`) });
  dataDir.release();
  expect(await svc(['migrate'])).toMatchObject({ code: 0, out: 'PostgreSQL: up to date\n' });
  const external = {
    SVC_DATABASE_URL: 'postgres://svc_app:hidden@127.0.0.1:1/svc',
    SVC_ENVELOPE_KEY: Buffer.alloc(32).toString('base64'),
  };
  expect(await svc(['migrate'], external)).toMatchObject({
    code: 2,
    err: expect.stringContaining('SVC_DATABASE_OWNER_URL must be set'),
  });
  const unreachable = await svc(['tenant', 'list'], external);
  expect(unreachable).toMatchObject({ code: 1, err: expect.stringContaining('PostgreSQL at 127.0.0.1:1 (SVC_DATABASE_URL)') });
  expect(unreachable.err).not.toContain('hidden');
});

test('a data directory of a newer release, or one that cannot be written, is named and ends with 1', async () => {
  writeFileSync(join(path, 'FORMAT'), '7\n');
  for (const args of [['serve'], ['tenant', 'list'], ['migrate']])
    expect(await svc(args)).toMatchObject({
      code: 1,
      err: expect.stringContaining('has format 7, newer than this release knows'),
    });
  writeFileSync(join(path, 'FORMAT'), '1\n');
  expect(await svc(['tenant', 'list'], { SVC_DATA_DIR: '/proc/svc' })).toMatchObject({
    code: 1,
    err: expect.stringContaining('/proc/svc cannot be created or written'),
  });
});

test('mcp speaks to the assistant alone on standard output, and tells it what to do where it cannot pass a message on', async () => {
  const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
  const unreached = await svc(
    ['mcp', '--server', 'https://127.0.0.1:9'],
    { SVC_TOKEN: 'svc_pat_hidden' },
    `${JSON.stringify(hello)}\n`,
  );
  expect(unreached.code).toBe(0);
  expect(JSON.parse(unreached.out)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining('127.0.0.1:9 was not reached') },
  });
  expect(unreached.out + unreached.err).not.toContain('hidden');
  expect(await svc(['mcp'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('SVC_TOKEN is missing') });
  const clear = await svc(['mcp', '--server', 'http://127.0.0.1:9'], { SVC_TOKEN: 'svc_pat_hidden' });
  expect(clear).toMatchObject({ code: 2, out: '', err: expect.stringContaining('https://') });
});
