import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AMPLIFIERS } from '../walk/test-amplifiers.ts';

const CHILD = fileURLToPath(new URL('./amplify-child.ts', import.meta.url));
const MIB = 1024 * 1024;
/** Of docs/limits.md; the seconds are for a slow machine. */
const MOST_FACTOR = 20;
const FREE_BYTES = 112 * MIB;
const MOST_ROWS = 220_000;
const CPU_SECONDS_PER_MIB = 1;

interface Measured {
  items: number;
  tooHeavy: number;
  rows: number;
  leftOut: number;
  series: number;
  bytes: number;
  grownBytes: number;
  cpuMs: number;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-otlp-amplification-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function measure(index: number, ...sizes: number[]): Promise<Measured[]> {
  const files = sizes.map((size) => join(folder, `${index}-${size}`));
  for (const [i, file] of files.entries()) await writeFile(file, AMPLIFIERS[index]?.make(sizes[i] as number, Date.now()) ?? '');
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, String(index), ...files]);
  for (const file of files) await rm(file);
  return JSON.parse(stdout) as Measured[];
}

test.each(AMPLIFIERS.map(({ signal, name }, i) => [`${signal}: ${name}`, i] as const))(
  '%s: memory, rows and time are bounded, and no record is lost',
  async (_, index) => {
    for (const measured of await measure(index, 500_000, 4 * MIB)) {
      const { items, tooHeavy, rows, leftOut, series, bytes, grownBytes, cpuMs } = measured;
      expect(rows + leftOut).toBe(items - tooHeavy);
      expect(grownBytes).toBeLessThan(Math.max(FREE_BYTES, MOST_FACTOR * bytes));
      expect(Math.max(rows, series)).toBeLessThan(MOST_ROWS);
      expect(cpuMs / 1000).toBeLessThan(CPU_SECONDS_PER_MIB * Math.max(1, bytes / MIB));
    }
  },
);
