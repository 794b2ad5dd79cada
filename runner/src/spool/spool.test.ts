import { appendFile, mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SegmentWriter } from './segment-file.ts';
import { openSpool, type Spool, type SpoolOptions } from './spool.ts';

let folder: string;
const open: Spool[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-spool-'));
});
afterEach(async () => {
  for (const spool of open.splice(0)) await spool.close();
  await rm(folder, { recursive: true, force: true });
});

const start = async (more: Partial<SpoolOptions> = {}): Promise<Spool> => {
  const spool = await openSpool({ folder, ...more });
  open.push(spool);
  return spool;
};
const text = (n: number): Buffer => Buffer.from(`report ${n} `.padEnd(100, 'x'));
const ALL = { records: 1000, bytes: 1_000_000 };
const numbers = (records: readonly Buffer[] = []): number[] => records.map((record) => Number(record.toString().split(' ')[1]));
const fill = async (spool: Spool, from: number, to: number): Promise<void> => {
  for (let n = from; n < to; n += 1) await spool.append(text(n));
};

it('gives in order what was put in, and forgets what is acknowledged and nothing else', async () => {
  const spool = await start({ segmentBytes: 1000 });
  await fill(spool, 0, 30);
  const first = await spool.next({ records: 5, bytes: 1_000_000 });
  expect(numbers(first?.records)).toEqual([0, 1, 2, 3, 4]);
  const second = await spool.next({ records: 1000, bytes: 300 });
  expect(numbers(second?.records)).toEqual([5, 6, 7]);
  await spool.ack(first?.end ?? { segment: 0, record: 0 });
  expect(spool.counts().records).toBe(25);
  spool.rewind();
  expect(numbers((await spool.next(ALL))?.records)[0]).toBe(5);
});

it('gives again what was asked for just before a rewind and sent by nobody', async () => {
  const spool = await start();
  await fill(spool, 0, 4);
  const unsent = spool.next({ records: 2, bytes: 1_000_000 });
  spool.rewind();
  expect(numbers((await unsent)?.records)).toEqual([0, 1]);
  expect(numbers((await spool.next(ALL))?.records)).toEqual([0, 1, 2, 3]);
});

it('has after a kill what it had before, and what was not acknowledged comes again', async () => {
  const before = await start({ segmentBytes: 1000 });
  await fill(before, 0, 20);
  const given = await before.next({ records: 12, bytes: 1_000_000 });
  if (given) await before.ack(given.end);
  // No close: the process is gone.
  const after = await start({ segmentBytes: 1000 });
  await fill(after, 20, 22);
  const seen: number[] = [];
  for (let batch = await after.next(ALL); batch; batch = await after.next(ALL)) {
    seen.push(...numbers(batch.records));
    await after.ack(batch.end);
  }
  expect(seen.slice(-10)).toEqual([12, 13, 14, 15, 16, 17, 18, 19, 20, 21]);
  expect(seen.length).toBeLessThanOrEqual(20);
  expect(after.counts()).toMatchObject({ records: 0, bytes: 0 });
  expect(await readdir(folder)).toEqual([]);
});

it('passes over a torn end, damaged bytes and files of others', async () => {
  const before = await start({ segmentBytes: 1000 });
  await fill(before, 0, 12);
  const [first = '', last = ''] = (await readdir(folder)).sort();
  await truncate(join(folder, first), 300);
  await appendFile(join(folder, last), Buffer.from([0, 0, 1]));
  await appendFile(join(folder, 'README'), 'not ours');
  const after = await start({ segmentBytes: 1000 });
  const seen: number[] = [];
  for (let batch = await after.next(ALL); batch; batch = await after.next(ALL)) seen.push(...numbers(batch.records));
  expect(seen).toEqual([0, 1, 9, 10, 11]);
});

it('drops the oldest beyond its bound, and counts them', async () => {
  const spool = await start({ segmentBytes: 1000, maxBytes: 5000 });
  await fill(spool, 0, 200);
  const { records, bytes, dropped } = spool.counts();
  expect(bytes).toBeLessThanOrEqual(5000);
  expect(records + dropped).toBe(200);
  const seen = numbers((await spool.next(ALL))?.records);
  expect(seen[0]).toBe(dropped);
});

it('keeps a little in memory while the disk is full, and nothing is doubled or lost when there is room again', async () => {
  let isFull = false;
  const spool = await start({
    segmentBytes: 1000,
    createSegment: async (path) => {
      if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      const writer = await SegmentWriter.create(path);
      return {
        append: async (framed) => {
          if (!isFull) return await writer.append(framed);
          // Half of it was written before the disk was full.
          await writer.append(framed.subarray(0, 50));
          throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
        },
        sync: () => writer.sync(),
        close: () => writer.close(),
      };
    },
  });
  await fill(spool, 0, 3);
  isFull = true;
  await fill(spool, 3, 8);
  expect(spool.counts()).toMatchObject({ records: 8, dropped: 0 });
  const first = await spool.next(ALL);
  expect(numbers(first?.records)).toEqual([0, 1, 2]);
  const fromMemory = await spool.next({ records: 2, bytes: 1_000_000 });
  expect(numbers(fromMemory?.records)).toEqual([3, 4]);
  isFull = false;
  await fill(spool, 8, 9);
  if (first && fromMemory) {
    await spool.ack(first.end);
    await spool.ack(fromMemory.end);
  }
  await fill(spool, 9, 11);
  const seen: number[] = [];
  for (let batch = await spool.next(ALL); batch; batch = await spool.next(ALL)) {
    seen.push(...numbers(batch.records));
    await spool.ack(batch.end);
  }
  expect(seen).toEqual([5, 6, 7, 8, 9, 10]);
  expect(spool.counts()).toMatchObject({ records: 0, dropped: 0 });
});

it('bounds what it keeps in memory', async () => {
  const spool = await start({
    memoryBytes: 1000,
    createSegment: async () => {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    },
  });
  await fill(spool, 0, 50);
  expect(spool.counts()).toMatchObject({ records: 10, dropped: 40 });
  expect(numbers((await spool.next(ALL))?.records)[0]).toBe(40);
});
