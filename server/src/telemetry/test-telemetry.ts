import { createHash } from 'node:crypto';
import { cpSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { migrateTelemetry, openTelemetry } from './open.ts';
import type { Telemetry } from './ports.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../clickhouse/migrations', import.meta.url));
const TEMPLATES = fileURLToPath(new URL('../../../node_modules/.cache/test-stores', import.meta.url));

interface Shared {
  telemetry: Telemetry;
  folder: string;
}

let shared: Promise<Shared> | undefined;
let users = 0;
/** A process holds one engine at a time: the next opens when the one before is closed. */
let closed: Promise<unknown> = Promise.resolve();

const log = pino({ level: 'silent' });

/** What a store with all migrations depends on: their files, and the engine that made its tables. */
async function nameOfTemplate(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(MIGRATIONS)).sort()) hash.update(`${name} `).update(await readFile(join(MIGRATIONS, name)));
  hash.update(await readFile(createRequire(import.meta.url).resolve('chdb/package.json')));
  return `store-${hash.digest('hex').slice(0, 16)}`;
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** An embedded store with all migrations, made once for each state of their files; a copy of it has 300 small files. */
async function ensureTemplate(): Promise<string> {
  const template = join(TEMPLATES, await nameOfTemplate());
  if (await isThere(template)) return template;
  await mkdir(TEMPLATES, { recursive: true });
  const made = await mkdtemp(join(TEMPLATES, 'making-'));
  await migrateTelemetry({ dataDir: made, migrationsDir: MIGRATIONS, log });
  // Another process may have been quicker: its folder is as good, and a folder that is not empty is not replaced.
  await rename(made, template).catch(() => rm(made, { recursive: true, force: true }));
  return template;
}

/**
 * A fresh embedded store in `dataDir`, with the real tables, for tests that are not about migrating: statement by statement its schema takes a
 * second of CPU, and several while others keep the disk busy. Whoever opens it closes it.
 */
export async function openFreshTelemetry(dataDir: string): Promise<Telemetry> {
  // Ten times quicker than the asynchronous one, and a test has nothing else to do.
  cpSync(await ensureTemplate(), dataDir, { recursive: true, verbatimSymlinks: true });
  return await openTelemetry({ dataDir, migrationsDir: MIGRATIONS, log });
}

async function open(): Promise<Shared> {
  await closed;
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-telemetry-'));
  return { telemetry: await openFreshTelemetry(folder), folder };
}

async function leave(): Promise<void> {
  users -= 1;
  if (users > 0 || shared === undefined) return;
  const last = shared;
  shared = undefined;
  closed = last.then(async ({ telemetry, folder }) => {
    await telemetry.close();
    await rm(folder, { recursive: true, force: true });
  });
  await closed;
}

/**
 * The column store of this process's tests: ClickHouse in the process, with the real tables in a temporary folder. The first caller opens it, others
 * share it until all have closed theirs: tests that share it tell their rows apart by tenant.
 */
export async function openTestTelemetry(): Promise<Telemetry> {
  users += 1;
  shared ??= open();
  const { telemetry } = await shared;
  let left: Promise<void> | undefined;
  return {
    ...telemetry,
    close() {
      left ??= leave();
      return left;
    },
  };
}
