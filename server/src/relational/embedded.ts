import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { AppError } from '#kernel';
import { findPostgresBinaries, type PostgresBinaries } from './embedded-binaries.ts';
import { findFreePort, isAlive, runToEnd, spawnPostmaster, stopOrphan, stopPostmaster } from './embedded-process.ts';

const DATABASE = 'svc';
const START_TIMEOUT_MS = 60_000;
const LOG_MAX_BYTES = 1_000_000;

/** Passwords and port, kept in the data directory with mode 0600 by the caller. */
export interface PostgresAccess {
  port: number;
  superPassword: string;
  ownerPassword: string;
  appPassword: string;
}

export interface EmbeddedPostgres {
  access: PostgresAccess;
  ownerUrl: string;
  appUrl: string;
  superUrl: string;
  pid: number;
  /** Settles when the postmaster ends, asked for or not. */
  exited: Promise<void>;
  /** Fast shutdown; call it last, after every pool is closed. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Folder of the cluster; made by initdb when missing. Only one process may call this at a time: hold the data directory's lock. */
  cluster: string;
  /** Folder for PostgreSQL's log, exists. */
  logDir: string;
  /** As stored by an earlier start; without it every password is set anew. */
  access?: PostgresAccess | undefined;
  log: FastifyBaseLogger;
  /** On top of ours; tests switch fsync off. */
  settings?: Readonly<Record<string, string>>;
}

const SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '64MB',
  max_connections: '60',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  password_encryption: 'scram-sha-256',
  // No statement and no key value reaches the log file: they may hold what must not rest there.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  jit: 'off',
};

const HBA = `# Written by svc at initdb: passwords only, this machine only.
host all all 127.0.0.1/32 scram-sha-256
`;

const newPassword = (): string => randomBytes(24).toString('base64url');

const PASSWORD_OF = { postgres: 'superPassword', svc_owner: 'ownerPassword', svc_app: 'appPassword' } as const;

/** Connection URL of one of the three roles. */
const urlOf = (role: keyof typeof PASSWORD_OF, access: PostgresAccess, database = DATABASE): string =>
  `postgres://${role}:${access[PASSWORD_OF[role]]}@127.0.0.1:${access.port}/${database}?sslmode=disable`;

/** URLs of owner and app role of a database that runs with this access; for command-line verbs beside a server. */
export const embeddedUrls = (access: PostgresAccess): { ownerUrl: string; appUrl: string } => ({
  ownerUrl: urlOf('svc_owner', access),
  appUrl: urlOf('svc_app', access),
});

/** initdb beside the final place, then a rename: a start that is cut off leaves nothing half made. */
async function initCluster(binaries: PostgresBinaries, cluster: string, password: string): Promise<void> {
  const making = `${cluster}.making`;
  rmSync(making, { recursive: true, force: true });
  const passwordFile = `${cluster}.password`;
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  try {
    await mkdir(making, { mode: 0o700, recursive: true });
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];
    await runToEnd(binaries.initdb, [
      '-D',
      making,
      '-U',
      'postgres',
      `--pwfile=${passwordFile}`,
      '-A',
      'scram-sha-256',
      ...locale,
    ]);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  writeFileSync(join(making, 'pg_hba.conf'), HBA, { mode: 0o600 });
  renameSync(making, cluster);
}

/** Single-user mode needs no password: the way back in when run/server.json was lost. */
async function resetSuperPassword(binaries: PostgresBinaries, cluster: string, password: string): Promise<void> {
  const flags = ['--single', '-D', cluster, '-c', 'wal_level=minimal', '-c', 'max_wal_senders=0', 'postgres'];
  await runToEnd(binaries.postgres, flags, `ALTER ROLE postgres PASSWORD '${password}';\n`);
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, application_name: 'svc start' });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Roles and the database; every step may be repeated, so a start that was cut off is finished by the next one. */
async function bootstrap(access: PostgresAccess): Promise<void> {
  const { rowCount } = await withClient(urlOf('postgres', access, 'postgres'), async (client) => {
    for (const [role, password] of [
      ['svc_owner', access.ownerPassword],
      ['svc_app', access.appPassword],
    ] as const) {
      const { rowCount: exists } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
      const attributes = `LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD '${password}'`;
      await client.query(`${exists ? 'ALTER' : 'CREATE'} ROLE ${role} ${attributes}`);
    }
    return await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
  });
  if (!rowCount) {
    await withClient(urlOf('postgres', access, 'postgres'), async (client) => {
      await client.query(`CREATE DATABASE ${DATABASE} OWNER svc_owner`);
    });
  }
  await withClient(urlOf('postgres', access), async (client) => {
    await client.query(`REVOKE ALL ON DATABASE ${DATABASE} FROM PUBLIC;
      GRANT CONNECT ON DATABASE ${DATABASE} TO svc_app;
      ALTER SCHEMA public OWNER TO svc_owner;
      REVOKE ALL ON SCHEMA public FROM PUBLIC;
      GRANT USAGE ON SCHEMA public TO svc_app`);
  });
}

type Readiness = 'ready' | 'ended' | 'login-refused';

/** Waits until a login succeeds: recovery after a crash may take a while, and until then connections are refused. */
async function waitUntilReady(child: ChildProcess, url: string): Promise<Readiness> {
  for (const end = Date.now() + START_TIMEOUT_MS; Date.now() < end; await sleep(15)) {
    if (child.exitCode !== null || child.signalCode !== null) return 'ended';
    try {
      await withClient(url, async (client) => await client.query('SELECT 1'));
      return 'ready';
    } catch (error) {
      if (/^28/.test(String(Reflect.get(Object(error), 'code')))) return 'login-refused';
    }
  }
  throw new AppError('unavailable', `PostgreSQL was not ready within ${START_TIMEOUT_MS / 1000} s.`);
}

function openLog(dir: string): { fd: number; path: string } {
  const path = join(dir, 'postgres.log');
  if (existsSync(path) && statSync(path).size > LOG_MAX_BYTES) truncateSync(path);
  return { fd: openSync(path, 'a', 0o600), path };
}

const lastLines = (path: string): string => readFileSync(path, 'utf8').trim().split('\n').slice(-4).join(' | ');

interface Attempt {
  binaries: PostgresBinaries;
  options: EmbeddedOptions;
  access: PostgresAccess;
}

/** One start on one port; undefined when another program took the port between looking and binding. */
async function tryStart({ binaries, options, access }: Attempt): Promise<{ child: ChildProcess; state: Readiness } | undefined> {
  const { fd, path } = openLog(options.logDir);
  const logStart = statSync(path).size;
  try {
    const settings = { ...SETTINGS, ...options.settings };
    const child = spawnPostmaster({ binaries, cluster: options.cluster, port: access.port, settings, logFd: fd });
    child.on('error', () => {});
    const state = await waitUntilReady(child, urlOf('postgres', access, 'postgres'));
    if (state !== 'ended') return { child, state };
    if (/could not bind|Address already in use/.test(readFileSync(path, 'utf8').slice(logStart))) return undefined;
    throw new AppError('unavailable', `PostgreSQL did not start: ${lastLines(path)}`);
  } finally {
    closeSync(fd);
  }
}

/**
 * Starts the PostgreSQL that npm installed, on a free port of 127.0.0.1: initdb on the first start, the orphan of a killed server
 * stopped, roles and database made. AppError `unavailable` with the reason when it cannot.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const binaries = findPostgresBinaries();
  const orphan = await stopOrphan(binaries, options.cluster);
  if (orphan) options.log.warn({ pid: orphan }, 'stopped the PostgreSQL that an earlier server had left running');
  let access = options.access ?? {
    port: 0,
    superPassword: newPassword(),
    ownerPassword: newPassword(),
    appPassword: newPassword(),
  };
  if (!existsSync(options.cluster)) await initCluster(binaries, options.cluster, access.superPassword);
  else if (!options.access) await resetSuperPassword(binaries, options.cluster, access.superPassword);

  for (let attempt = 0; attempt < 5; attempt += 1) {
    access = { ...access, port: await findFreePort() };
    const started = await tryStart({ binaries, options, access });
    if (!started) continue;
    if (started.state === 'ready') return await finishStart(started.child, { binaries, options, access });
    await stopPostmaster(started.child.pid ?? 0, binaries, options.cluster);
    await resetSuperPassword(binaries, options.cluster, access.superPassword);
  }
  throw new AppError('unavailable', 'PostgreSQL found no free port on 127.0.0.1.');
}

async function finishStart(child: ChildProcess, { binaries, options, access }: Attempt): Promise<EmbeddedPostgres> {
  const pid = child.pid ?? 0;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    await bootstrap(access);
  } catch (error) {
    await stopPostmaster(pid, binaries, options.cluster);
    throw error;
  }
  child.unref();
  return {
    access,
    ...embeddedUrls(access),
    superUrl: urlOf('postgres', access),
    pid,
    exited,
    stop: async () => {
      child.ref();
      if (isAlive(pid)) await stopPostmaster(pid, binaries, options.cluster);
      await exited;
    },
  };
}
