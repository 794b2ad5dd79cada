import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { COLLECT_DEFAULTS } from '../privacy/collect.ts';
import { minimise } from '../privacy/minimise.ts';
import { emptyResult } from '../result.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { openDiskSpool } from './spool-disk.ts';
import { createSpoolLossWords } from './spool-loss.ts';

const HOURS = 30 * 24;
/** Wi-Fi, gateway and verdict each minute, the rest each five, at two targets each. */
const PER_HOUR = 60 * 3 + 12 * 6;
const MAX_BYTES = 20 * 1024 * 1024;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-month-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A result of usual size; its number stands in its id. */
function resultOf(n: number): Buffer {
  const full = emptyResult('endpoint.attribution', {
    resultId: `0190a6c0-0000-7000-8000-${String(n).padStart(12, '0')}`,
    startedAtMs: 1_790_000_000_000 + n * 1000,
  });
  full.attributes['endpoint.summary'] = 'Healthy: Wi-Fi −61 dBm, gateway 3.1 ms, ISP 12 ms, 4 services under 1500 ms.';
  for (const layer of ['wifi', 'local', 'isp', 'network']) full.metrics[`score.${layer}`] = 90 + (n % 10);
  return encodeRecord(minimise(full, COLLECT_DEFAULTS));
}

it('stays within its bound over thirty days offline, drops and counts the oldest, and says so now and then', {
  timeout: 120_000,
}, async () => {
  let spool = await openDiskSpool({ directory, maxBytes: MAX_BYTES });
  let steadyMs = 0;
  const lossWords = createSpoolLossWords(() => steadyMs);
  const told: string[] = [];
  let made = 0;
  for (let hour = 0; hour < HOURS; hour++) {
    await spool.append(
      Array.from({ length: PER_HOUR }, () => {
        made += 1;
        return resultOf(made - 1);
      }),
    );
    steadyMs += 3_600_000;
    const words = lossWords(spool.status());
    if (words !== undefined) told.push(words);
    expect(spool.status().bytes).toBeLessThanOrEqual(MAX_BYTES);
    // The device is used: it starts anew each week.
    if (hour % 168 === 167) {
      await spool.close();
      spool = await openDiskSpool({ directory, maxBytes: MAX_BYTES });
    }
  }
  const { results, dropped } = spool.status();
  expect(results + dropped).toBe(made);
  expect(dropped).toBeGreaterThan(0);
  expect(told.length).toBeGreaterThan(1);
  expect(told.at(-1)).toMatch(/^The spool is at its bound: the oldest \d+ readings were dropped, \d+ wait\.$/);
  const files = await Promise.all((await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size));
  expect(files.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(MAX_BYTES + 4096);
  const first = await spool.next({ results: 1, bytes: 1 << 20 });
  expect(decodeRecord(first?.records[0] as Uint8Array).result.result_id).toMatch(new RegExp(`-0*${dropped}$`));
  await spool.close();
});
