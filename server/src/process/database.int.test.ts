import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTenant, listTenants } from '#relational';
import { loadConfig } from '../config.ts';
import { openDataDir } from './data-dir.ts';
import { openDatabase, openDatabaseBeside } from './database.ts';

const log = pino({ level: 'silent' });
let parent: string;
let path: string;
let children: ChildProcess[] = [];
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-database-'));
  path = join(parent, 'data');
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  rmSync(parent, { recursive: true, force: true });
});

const configOf = (env: Record<string, string> = {}) => loadConfig({ SVC_DATA_DIR: path, ...env }, 'release');
/** False for a process that ended and waits for its parent to notice, too. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
const pidOf = (): number => Number(readFileSync(join(path, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

/** The database opened under the lock, `work`, everything closed again. */
async function withDatabase<T>(work: (opened: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>): Promise<T> {
  const dataDir = openDataDir(path);
  try {
    const opened = await openDatabase(configOf(), dataDir, log);
    try {
      return await work(opened);
    } finally {
      await opened.close();
    }
  } finally {
    dataDir.release();
  }
}

/** A server in a process of its own, which makes the tenant of each line it is given and says when that is committed. */
async function startServer(): Promise<{ child: ChildProcess; make: (id: string) => Promise<void> }> {
  const file = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  const script = `import { createInterface } from 'node:readline'; import { pino } from 'pino';
    import { loadConfig } from ${file('../config.ts')}; import { openDataDir } from ${file('data-dir.ts')}; import { openDatabase } from ${file('database.ts')};
    const opened = await openDatabase(loadConfig({ SVC_DATA_DIR: ${JSON.stringify(path)} }), openDataDir(${JSON.stringify(path)}), pino({ level: 'silent' }));
    console.log('ready');
    for await (const id of createInterface({ input: process.stdin })) {
      await opened.relational.directory('create_tenant', [id, id, false]); console.log(id); }`;
  const child = spawn(process.execPath, ['--conditions=svc-source', '--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
  });
  const waitFor = async (line: string) => {
    while (!output.includes(`${line}\n`)) {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await waitFor('ready');
  return {
    child,
    make: async (id) => {
      child.stdin.write(`${id}\n`);
      await waitFor(id);
    },
  };
}

test('the first start makes everything, the second finds it, and a stop leaves nothing running', async () => {
  const pid = await withDatabase(async ({ relational, embedded, applied }) => {
    expect(applied).toContain('0001_core');
    await createTenant(relational, { id: 'acme', name: 'Acme' });
    // A process group of its own: Ctrl-C in the terminal does not reach it before we have drained.
    expect(process.platform !== 'linux' || readFileSync(`/proc/${embedded?.pid}/stat`, 'utf8').split(' ')[4]).toBe(
      String(embedded?.pid),
    );
    return embedded?.pid ?? 0;
  });
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(join(path, 'postgres', 'postmaster.pid'))).toBe(false);
  expect(statSync(join(path, 'run', 'server.json')).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, 'postgres')).mode & 0o777).toBe(0o700);
  await withDatabase(async ({ relational, applied }) => {
    expect(applied).toEqual([]);
    expect((await listTenants(relational)).map(({ id }) => id)).toEqual(['acme']);
  });
});

test('after kill -9 of the server its orphaned PostgreSQL is stopped at the next start and what was committed is there', async () => {
  const { child, make } = await startServer();
  await make('one');
  await make('two');
  const orphan = pidOf();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  expect(isRunning(orphan)).toBe(true);
  await withDatabase(async ({ relational, embedded }) => {
    expect(embedded?.pid).not.toBe(orphan);
    expect((await listTenants(relational)).map(({ id }) => id)).toEqual(['one', 'two']);
  });
  expect(isRunning(orphan)).toBe(false);
});

test('after kill -9 of PostgreSQL itself callers are told, and the next start recovers', async () => {
  await withDatabase(async ({ relational, embedded }) => {
    await createTenant(relational, { id: 'acme', name: 'Acme' });
    process.kill(embedded?.pid ?? 0, 'SIGKILL');
    await embedded?.exited;
    // A backend of it may still answer until it sees that its parent is gone.
    await vi.waitFor(() => expect(listTenants(relational)).rejects.toMatchObject({ code: 'unavailable' }), 10_000);
    expect(await relational.health()).toMatchObject({ status: 'failed' });
  });
  expect(await withDatabase(async ({ relational }) => (await listTenants(relational)).length)).toBe(1);
});

test('a lost server.json and an initdb that was cut off do not lose the database', async () => {
  await withDatabase(async ({ relational }) => await createTenant(relational, { id: 'acme', name: 'Acme' }));
  rmSync(join(path, 'run', 'server.json'));
  writeFileSync(join(path, 'postgres', 'postmaster.pid'), `${process.pid}\n/elsewhere\n`);
  expect(await withDatabase(async ({ relational }) => (await listTenants(relational)).length)).toBe(1);
  writeFileSync(
    join(path, 'run', 'server.json'),
    '{"postgres":{"port":1,"superPassword":"x","ownerPassword":"y","appPassword":"z"}}',
  );
  expect(await withDatabase(async ({ relational }) => (await listTenants(relational)).length)).toBe(1);
});

test('a command works beside a running server, and alone under the lock', async () => {
  const { child, make } = await startServer();
  await make('one');
  const beside = await openDatabaseBeside(configOf(), log);
  expect(beside.embedded).toBeUndefined();
  expect(await listTenants(beside.relational)).toHaveLength(1);
  await beside.close();
  expect(isRunning(pidOf())).toBe(true);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  const alone = await openDatabaseBeside(configOf(), log);
  expect(() => openDataDir(path)).toThrow(/in use by process/);
  expect(await listTenants(alone.relational)).toHaveLength(1);
  await alone.close();
  openDataDir(path).release();
});

test('a database outside that does not answer is named, without its password', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const address = silent.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  silent.close();
  const url = `postgres://svc_app:hidden@127.0.0.1:${port}/svc`;
  const opening = openDatabaseBeside(
    configOf({ SVC_DATABASE_URL: url, SVC_ENVELOPE_KEY: Buffer.alloc(32).toString('base64') }),
    log,
  );
  await expect(opening).rejects.toThrow(`PostgreSQL at 127.0.0.1:${port} (SVC_DATABASE_URL) cannot be reached`);
  await opening.catch((error: Error) => expect(error.message).not.toContain('hidden'));
});
