import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { findMigrationsDir, migrate, readMigrations } from './migrate.ts';
import { openRelational } from './open.ts';
import type { Relational } from './port.ts';

interface HostUrls {
  superUrl: string;
  ownerUrl: string;
  appUrl: string;
}

export interface TestDatabase {
  relational: Relational;
  ownerUrl: string;
  appUrl: string;
  /** Takes statistics of what was filled in and marks what everybody sees, as autovacuum does in a database that has run for a while. */
  analyze(): Promise<void>;
  close(): Promise<void>;
}

const LOCK = 72707370;

const key = createHash('sha256')
  .update(`${import.meta.dirname} ${process.getuid?.() ?? 0}`)
  .digest('hex')
  .slice(0, 16);
/** Abstract on Linux: nothing stale is left behind by a killed host. */
const socketPath =
  {
    linux: `\0svc-test-postgres-${key}`,
    win32: `\\\\.\\pipe\\svc-test-postgres-${key}`,
  }[process.platform as string] ?? join(tmpdir(), `svc-test-postgres-${key}.sock`);

let host: Promise<HostUrls> | undefined;

const askHost = async (): Promise<HostUrls> =>
  await new Promise((resolve, reject) => {
    const socket: Socket = connect(socketPath);
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (!text.includes('\n')) return;
      // The open connection keeps the host alive as long as this process, and must not keep this process alive.
      socket.unref();
      resolve(JSON.parse(text) as HostUrls);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the test PostgreSQL went away')));
  });

async function findHost(): Promise<HostUrls> {
  const script = join(import.meta.dirname, 'test-host.ts');
  let failure: unknown;
  let complaint = '';
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(50)) {
    try {
      return await askHost();
    } catch (error) {
      failure = error;
      if (process.platform === 'darwin') rmSync(socketPath, { force: true });
    }
    const child = spawn(process.execPath, [script, socketPath.replace('\0', '@')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = chunk.toString('utf8').slice(0, 2000);
    });
    child.unref();
    (child.stderr as unknown as Socket).unref();
    for (let tries = 0; tries < 20 && child.exitCode === null; tries += 1) {
      await sleep(25);
      const urls = await askHost().catch(() => undefined);
      if (urls) return urls;
    }
  }
  throw new Error(`no PostgreSQL for tests: ${complaint}`, { cause: failure });
}

const withDatabase = (url: string, database: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.toString();
};

async function asSuper(urls: HostUrls, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(urls.superUrl, 'postgres') });
  client.on('error', () => {});
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function hashOfMigrations(dir: string): Promise<string> {
  const hash = createHash('sha256');
  for (const { name, checksum } of await readMigrations(dir)) hash.update(`${name} ${checksum};`);
  return hash.digest('hex').slice(0, 16);
}

const grants = (database: string): string => `REVOKE ALL ON DATABASE ${database} FROM PUBLIC;
  GRANT CONNECT ON DATABASE ${database} TO svc_app`;

/** A database with all migrations, made once for each state of their files; copies of it cost some 50 ms. */
async function ensureTemplate(urls: HostUrls, client: pg.Client): Promise<string> {
  const dir = findMigrationsDir();
  const name = `template_${await hashOfMigrations(dir)}`;
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate', [name]);
    if (rowCount) return name;
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${name} OWNER svc_owner TEMPLATE svc`);
    await client.query(grants(name));
    await migrate(withDatabase(urls.ownerUrl, name), dir);
    await client.query(`ALTER DATABASE ${name} IS_TEMPLATE true`);
    return name;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
  }
}

/**
 * A fresh, migrated database of the shared test PostgreSQL (about 2 s for the first of a run, then some 100 ms), opened as the
 * app role. Close it when done; what is not closed goes with the server, seconds after the last test process ended.
 */
export async function createTestDatabase(options: { poolSize?: number; migrated?: boolean } = {}): Promise<TestDatabase> {
  host ??= findHost();
  const urls = await host;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asSuper(urls, async (client) => {
    const template = options.migrated === false ? 'svc' : await ensureTemplate(urls, client);
    await client.query(`CREATE DATABASE ${name} OWNER svc_owner TEMPLATE ${template}`);
    await client.query(grants(name));
  });
  const ownerUrl = withDatabase(urls.ownerUrl, name);
  const appUrl = withDatabase(urls.appUrl, name);
  const relational = await openRelational({ appUrl, log: pino({ level: 'silent' }), poolSize: options.poolSize ?? 4 });
  return {
    relational,
    ownerUrl,
    appUrl,
    analyze: async () => {
      const client = new pg.Client({ connectionString: ownerUrl });
      await client.connect();
      await client.query('VACUUM (ANALYZE)').finally(() => client.end());
    },
    close: async () => {
      await relational.close();
      await asSuper(urls, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      });
    },
  };
}
