import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { openTelemetry } from './open.ts';
import type { Telemetry } from './ports.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../clickhouse/migrations', import.meta.url));

interface Shared {
  telemetry: Telemetry;
  folder: string;
}

let shared: Promise<Shared> | undefined;
let users = 0;
/** A process holds one engine at a time: the next opens when the one before is closed. */
let closed: Promise<unknown> = Promise.resolve();

async function open(): Promise<Shared> {
  await closed;
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-telemetry-'));
  const telemetry = await openTelemetry({ dataDir: folder, migrationsDir: MIGRATIONS, log: pino({ level: 'silent' }) });
  return { telemetry, folder };
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
