import { appendFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Spool } from './spool.ts';
import { openDiskSpool } from './spool-disk.ts';
import { createMemorySpool } from './spool-memory.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-spool-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const record = (n: number, size = 20): Buffer => Buffer.from(String(n).padEnd(size, '.'));
const numbers = (records: readonly Uint8Array[]): number[] =>
  records.map((one) => Number.parseInt(Buffer.from(one).toString(), 10));
const wide = { results: 1000, bytes: 1 << 20 };
const all = async (spool: Spool): Promise<number[]> => {
  const seen: number[] = [];
  for (let batch = await spool.next(wide); batch; batch = await spool.next(wide)) seen.push(...numbers(batch.records));
  return seen;
};

const kinds: [string, (maxBytes: number) => Promise<Spool>][] = [
  ['memory', async (maxBytes) => createMemorySpool(maxBytes)],
  ['disk', (maxBytes) => openDiskSpool({ directory, maxBytes, segmentBytes: 400 })],
];

describe.each(kinds)('%s spool', (_name, open) => {
  it('hands out in order, once, within bounds, and again after a rewind from what was acknowledged', async () => {
    const spool = await open(100_000);
    for (let i = 0; i < 60; i += 3) await spool.append([record(i), record(i + 1), record(i + 2)]);
    const first = await spool.next({ results: 10, bytes: 1 << 20 });
    const second = await spool.next({ results: 1000, bytes: 65 });
    expect(numbers(first?.records ?? [])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(second?.records.length).toBeGreaterThan(0);
    expect(second?.records.length).toBeLessThanOrEqual(4);
    if (first) await spool.ack(first.end);
    await spool.rewind();
    expect(await all(spool)).toEqual(Array.from({ length: 50 }, (_, i) => i + 10));
    expect(await spool.next(wide)).toBeUndefined();
    expect(spool.status().results).toBe(50);
    await spool.close();
  });

  it('drops the oldest at its bound and counts them', async () => {
    const spool = await open(2000);
    for (let i = 0; i < 300; i++) await spool.append([record(i)]);
    const { results, bytes, dropped } = spool.status();
    expect(bytes).toBeLessThanOrEqual(2000);
    expect(results + dropped).toBe(300);
    const left = await all(spool);
    expect(left).toEqual(Array.from({ length: results }, (_, i) => dropped + i));
    await spool.close();
  });

  it('takes an acknowledgement of what was dropped meanwhile', async () => {
    const spool = await open(2000);
    for (let i = 0; i < 10; i++) await spool.append([record(i)]);
    const early = await spool.next({ results: 5, bytes: 1 << 20 });
    for (let i = 10; i < 300; i++) await spool.append([record(i)]);
    if (early) await spool.ack(early.end);
    await spool.rewind();
    const { results, dropped } = spool.status();
    expect((await all(spool)).at(0)).toBe(300 - results);
    expect(dropped).toBeGreaterThan(150);
    await spool.close();
  });

  it('lets a record larger than the bound go alone', async () => {
    const spool = await open(100_000);
    await spool.append([record(1, 9000), record(2)]);
    const batch = await spool.next({ results: 10, bytes: 100 });
    expect(numbers(batch?.records ?? [])).toEqual([1]);
    await spool.close();
  });
});

describe('on disk', () => {
  const open = (): Promise<Spool> => openDiskSpool({ directory, maxBytes: 100_000, segmentBytes: 400 });

  it('finds everything that was appended and not acknowledged, without having been closed', async () => {
    const spool = await open();
    for (let i = 0; i < 40; i++) await spool.append([record(i)]);
    const batch = await spool.next({ results: 7, bytes: 1 << 20 });
    if (batch) await spool.ack(batch.end);
    const again = await open();
    expect(again.status().results).toBe(33);
    expect(await all(again)).toEqual(Array.from({ length: 33 }, (_, i) => i + 7));
    await again.close();
    await spool.close();
  });

  it('cuts a torn tail and goes on behind it', async () => {
    const spool = await open();
    await spool.append([record(1), record(2)]);
    await spool.close();
    const [name] = (await readdir(directory)).filter((one) => one.endsWith('.seg'));
    await appendFile(join(directory, String(name)), Buffer.from([0, 0, 0, 40, 1, 2, 3, 4, 5, 6]));
    const again = await open();
    await again.append([record(3)]);
    expect(await all(again)).toEqual([1, 2, 3]);
    await again.close();
  });

  it('keeps its count of the lost, gives space back once all is sent, and is private to its user', async () => {
    let spool = await openDiskSpool({ directory, maxBytes: 2000, segmentBytes: 400 });
    for (let i = 0; i < 200; i++) await spool.append([record(i)]);
    const { dropped } = spool.status();
    expect(dropped).toBeGreaterThan(0);
    await spool.close();
    spool = await openDiskSpool({ directory, maxBytes: 2000, segmentBytes: 400 });
    expect(spool.status().dropped).toBe(dropped);
    for (let batch = await spool.next(wide); batch; batch = await spool.next(wide)) await spool.ack(batch.end);
    expect(spool.status()).toMatchObject({ results: 0 });
    expect(spool.status().bytes).toBeLessThan(500);
    for (const name of await readdir(directory)) expect((await stat(join(directory, name))).mode & 0o077).toBe(0);
    await spool.close();
  });
});
