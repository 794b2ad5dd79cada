import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { openTelemetry } from './open.ts';

const migrationsDir = fileURLToPath(new URL('../../../clickhouse/migrations', import.meta.url));
const CHILD = fileURLToPath(new URL('./kill-child.ts', import.meta.url));

/** Runs the writer until it has acknowledged so many blocks, kills it with -9 and gives the times it had acknowledged. */
async function writeAndKill(dataDir: string, first: number, blocks: number): Promise<number[]> {
  const child = spawn(process.execPath, [CHILD, dataDir, migrationsDir, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: number[] = [];
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(Number(line));
    if (acknowledged.length === blocks) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve));
  return acknowledged;
}

test('an embedded store killed with -9 three times has every acknowledged block, once', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-kill-'));
  try {
    const base = Date.now() - 60_000;
    const acknowledged: number[] = [];
    for (const [round, blocks] of [5, 12, 23].entries())
      acknowledged.push(...(await writeAndKill(dataDir, base + round * 1000, blocks)));
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);
    const telemetry = await openTelemetry({ dataDir, migrationsDir, log: pino({ level: 'silent' }) });
    const range = { metrics: ['m'], labels: {}, fromMs: base, toMs: base + 5000, stepMs: 0 };
    const series = await telemetry.series.range(parseTenantId('acme'), range);
    await telemetry.close();
    expect(series).toHaveLength(50);
    for (const { ts } of series) {
      const there = new Set(ts);
      expect(there.size).toBe(ts.length);
      expect(acknowledged.filter((at) => !there.has(at))).toEqual([]);
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
