import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { COLLECT_DEFAULTS } from '../privacy/collect.ts';
import { minimise } from '../privacy/minimise.ts';
import { emptyResult } from '../result.ts';
import { decodeFrames, encodeFrames } from './frames.ts';
import { type LedgerBlock, openLedger } from './ledger.ts';
import { readLedger } from './ledger-records.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-ledger-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const fail = (message: string): never => {
  throw new Error(message);
};
const block = (n: number): LedgerBlock => {
  const full = emptyResult('endpoint.lastmile', {
    resultId: `0190a6c0-0000-7000-8000-${String(n).padStart(12, '0')}`,
    startedAtMs: n,
  });
  full.attributes['hop.2.address'] = '203.0.113.7';
  // Noise, so that blocks have a size after compression.
  full.attributes['endpoint.summary'] = Array.from({ length: 20 }, () => Math.random().toString(36)).join('');
  return { at: n, server: 'https://localhost:8443', results: [minimise(full, COLLECT_DEFAULTS)] };
};
const read = async () => {
  const seen = [];
  for await (const reading of readLedger(directory)) seen.push(reading);
  return seen;
};

it('keeps what was sent and what was withheld, over restarts, as one chain', async () => {
  for (let start = 0; start < 3; start++) {
    const ledger = await openLedger({ directory }, fail);
    for (let i = 0; i < 4; i++) await ledger.append(block(start * 4 + i));
    await ledger.close();
  }
  const seen = await read();
  expect(seen.map((one) => one.block?.at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(seen.every((one) => one.intact)).toBe(true);
  const [first] = seen;
  expect(first?.block?.results[0]?.withheld).toEqual({ 'hop.2.address': '203.0.113.7' });
  expect(first?.block?.results[0]?.result.attributes).toMatchObject({ 'unavailable.hop.2.address': 'withheld' });
});

it('tells when a block was changed afterwards', async () => {
  const ledger = await openLedger({ directory }, fail);
  for (let i = 0; i < 4; i++) await ledger.append(block(i));
  await ledger.close();
  const [name] = (await readdir(directory)).filter((one) => one.endsWith('.seg'));
  const path = join(directory, String(name));
  const { records } = decodeFrames(await readFile(path), 100);
  const forged = gunzipSync(records[1] as Buffer)
    .toString()
    .replace('203.0.113.7', '203.0.113.9');
  records[1] = gzipSync(forged);
  await writeFile(path, encodeFrames(records));
  expect((await read()).map((one) => one.intact)).toEqual([true, false, true, true]);
});

it('forgets the oldest by size and by age, and the rest still is a chain', async () => {
  let ledger = await openLedger({ directory, maxBytes: 20_000 }, fail);
  for (let i = 0; i < 120; i++) await ledger.append(block(i));
  await ledger.close();
  const left = await read();
  expect(left.length).toBeLessThan(119);
  expect(left.at(-1)?.block?.at).toBe(119);
  expect(left.every((one) => one.intact)).toBe(true);
  const old = new Date(Date.now() - 8 * 86_400_000);
  for (const name of await readdir(directory)) await utimes(join(directory, name), old, old);
  ledger = await openLedger({ directory }, fail);
  await ledger.append(block(500));
  await ledger.close();
  expect((await read()).map((one) => one.block?.at)).toEqual([500]);
});
