import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { expect, test, vi } from 'vitest';
import { createLogBus } from '#bus';
import { parseTenantId } from '#kernel';
import { openTelemetry } from '#telemetry';
import { createOtlpStore } from './index.ts';

const migrationsDir = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
const CHILD = fileURLToPath(new URL('./kill-child.ts', import.meta.url));
const log = pino({ level: 'silent' });
const SPANS = 20;

/** Runs the child until it kills itself; gives the messages that were acknowledged to it, `tenant:number`. */
async function runUntilKilled(folder: string, from: number, [when, at]: readonly [string, number]): Promise<string[]> {
  const args = [CHILD, folder, migrationsDir, String(from), when, String(at)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) acknowledged.push(line);
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve));
  expect(child.signalCode).toBe('SIGKILL');
  return acknowledged;
}

test('killed with -9 around its inserts, it has every acknowledged span once after the last start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-otlp-kill-'));
  try {
    const acknowledged: string[] = [];
    const kills = [
      ['after', 1],
      ['before', 2],
      ['after', 4],
      ['during', 3],
      ['after', 2],
    ] as const;
    for (const [round, kill] of kills.entries()) acknowledged.push(...(await runUntilKilled(folder, round * 100_000, kill)));
    const telemetry = await openTelemetry({ dataDir: folder, migrationsDir, log });
    const bus = await createLogBus({ folder: join(folder, 'log'), log });
    const otlp = createOtlpStore({ bus, telemetry, log });
    await otlp.start();
    const sql = `SELECT name, count() AS rows, uniqExact(span_id) AS spans FROM spans WHERE tenant_id = {tenant:String} GROUP BY name`;
    const wrong = async () => {
      const faults: unknown[] = [];
      for (const tenant of ['large', 'a', 'b', 'c'].map(parseTenantId)) {
        const rows = (await telemetry.store.read<{ name: string; rows: number; spans: number }>(tenant, sql)) ?? [];
        faults.push(...rows.filter(({ rows: count, spans }) => count !== SPANS || spans !== SPANS));
        const there = new Set(rows.map(({ name }) => `${tenant}:${name.slice(1)}`));
        faults.push(...acknowledged.filter((each) => each.startsWith(`${tenant}:`) && !there.has(each)));
      }
      return faults;
    };
    await vi.waitFor(async () => expect((await wrong()).slice(0, 5)).toEqual([]), { timeout: 20_000, interval: 300 });
    await otlp.close();
    // Nothing comes after the last batch either.
    expect(await wrong()).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(50);
    const repeated = [...(otlp.storeCounters()?.tenants.get('traces')?.values() ?? [])].reduce(
      (sum, each) => sum + each.repeated,
      0,
    );
    expect(repeated).toBeGreaterThan(0);
    await bus.close();
    await telemetry.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
