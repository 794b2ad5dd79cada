import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Topic } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TenantId } from '#kernel';
import { createLogBus } from '../log.ts';
import type { Bus } from '../port.ts';
import { chooseFiles, createBlockFile } from './block-file.ts';
import { BLOCK_BYTES, diskFiles, type LogFiles } from './files.ts';
import { createReadMemory } from './read-memory.ts';
import { createTestDisk, seededRandom } from './test-disk.ts';

const TOPIC = 'svc.endpoint.results' as Topic;
const tenant = 'acme' as TenantId;
const onlyBuffered: LogFiles = { ...diskFiles, openDirect: () => Promise.reject(new Error('EINVAL')) };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-blocks-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('writes and reads any bytes at any place, and nothing but blocks below', async () => {
  const random = seededRandom(7);
  const disk = createTestDisk(1);
  const memory = createReadMemory();
  const file = createBlockFile(await disk.openDirect('/f', 'create'), memory);
  let all = Buffer.alloc(0);
  for (let round = 0; round < 300; round++) {
    const bytes = Buffer.alloc(1 + Math.floor(random() ** 4 * 30_000), round);
    const lent = random() < 0.5 ? memory.lend(bytes.length, all.length) : undefined;
    if (lent) bytes.copy(lent);
    const cut = Math.floor(random() * bytes.length);
    await file.write(lent ? [lent] : [bytes.subarray(0, cut), bytes.subarray(cut)], all.length);
    if (lent) memory.giveBack(lent);
    all = Buffer.concat([all, bytes]);
    const from = Math.floor(random() * all.length);
    const into = random() < 0.5 ? memory.lend(Math.ceil(random() * 9000), from) : Buffer.alloc(Math.ceil(random() * 9000));
    const got = await file.read(into, from);
    expect(into.subarray(0, Math.min(got, all.length - from)).equals(all.subarray(from, from + got))).toBe(true);
    expect(got).toBeGreaterThanOrEqual(Math.min(into.length, all.length - from));
    memory.giveBack(into);
  }
  expect(await file.size()).toBe(Math.ceil(all.length / BLOCK_BYTES) * BLOCK_BYTES);
});

test('more than can be borrowed goes in several writes; behind the end stand zeros and not what was borrowed before', async () => {
  const disk = createTestDisk(2);
  const memory = createReadMemory();
  const file = createBlockFile(await disk.openDirect('/f', 'create'), memory);
  const large = Buffer.alloc(9_500_000, 'abcdefg');
  await file.write([Buffer.from('head'), large], 0);
  const raw = await disk.open('/f', 'existing');
  const found = Buffer.alloc((await raw.size()) + 1, 1);
  const got = await raw.read(found, 0);
  expect(found.subarray(4, 4 + large.length).equals(large)).toBe(true);
  expect(found.subarray(4 + large.length, got).every((byte) => byte === 0)).toBe(true);
});

test('a write that failed leaves what stood there, and the next at the same place is whole', async () => {
  const disk = createTestDisk(3);
  const file = createBlockFile(await disk.openDirect('/f', 'create'), createReadMemory());
  await file.write([Buffer.from('first,')], 0);
  disk.capacity = 0;
  await expect(file.write([Buffer.alloc(5000, 'x')], 6)).rejects.toMatchObject({ code: 'ENOSPC' });
  disk.capacity = Number.POSITIVE_INFINITY;
  await file.truncate(6);
  await file.write([Buffer.from('second')], 6);
  const found = Buffer.alloc(12);
  await file.read(found, 0);
  expect(found.toString()).toBe('first,second');
});

test('a disk without direct files, or that refuses at the write, has buffered ones, and nothing of the trial stays', async () => {
  const memory = createReadMemory();
  expect(await chooseFiles(onlyBuffered, folder, memory)).toBe(onlyBuffered);
  const disk = createTestDisk(4);
  disk.direct = false;
  expect(await chooseFiles(disk, '/log', memory)).toBe(disk);
  disk.direct = true;
  disk.capacity = 100;
  expect(await chooseFiles(disk, '/log', memory)).toBe(disk);
  disk.capacity = Number.POSITIVE_INFINITY;
  expect(await chooseFiles(disk, '/log', { ...memory, isAligned: false })).toBe(disk);
  expect(await chooseFiles(disk, '/log', memory)).not.toBe(disk);
  await chooseFiles(diskFiles, folder, memory);
  expect([disk.paths(), await readdir(folder)]).toEqual([[], []]);
});

async function readAll(bus: Bus, group: string, count: number): Promise<string[]> {
  const got: string[] = [];
  const done = Promise.withResolvers<void>();
  const subscription = await bus.subscribe({ topic: TOPIC, group }, async ({ messages }) => {
    got.push(...messages.map(({ value }) => value.toString('latin1', 0, 9)));
    if (got.length >= count) done.resolve();
  });
  await done.promise;
  await subscription.close();
  return got;
}

test('a log written one way is read and gone on with the other, over files and after a clean end', async () => {
  const log = pino({ level: 'silent' });
  const sent: string[] = [];
  for (const [life, files] of [onlyBuffered, diskFiles, onlyBuffered, diskFiles].entries()) {
    const bus = await createLogBus({ folder, log, files, segmentBytes: 60_000 });
    // From before the first message on, so that it holds them all.
    if (life === 0) await (await bus.subscribe({ topic: TOPIC, group: 'keep' }, async () => {})).close();
    for (let number = 0; number < 20; number++) {
      const name = `${life}/${number}`.padEnd(9);
      await bus.publish(TOPIC, [{ tenant, value: Buffer.from(name.padEnd(100 + number * 517)) }]);
      sent.push(name);
    }
    expect(await readAll(bus, `of-${life}`, sent.length)).toEqual(sent);
    expect((await bus.health()).status).toBe('ok');
    await bus.close();
  }
  const names = (await readdir(join(folder, TOPIC))).filter((name) => name.endsWith('.log')).sort();
  expect(names.length).toBeGreaterThan(3);
  // A clean end cuts the last one where its records end.
  const last = names.at(-1) as string;
  const messages = sent.reduce((sum, _, index) => sum + 24 + tenant.length + 100 + (index % 20) * 517, 0);
  expect(Number.parseInt(last, 16) + (await stat(join(folder, TOPIC, last))).size).toBe(messages);
});

test('an end that was not cut is gone on with, and nobody is told of a cut', async () => {
  const disk = createTestDisk(5);
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const publish = (bus: Bus, name: string) => bus.publish(TOPIC, [{ tenant, value: Buffer.from(name.padEnd(700)) }]);
  const first = await createLogBus({ folder: '/log', log, files: disk });
  for (const name of ['one', 'two', 'three']) await publish(first, name);
  const left = disk.cutPower();
  const next = await createLogBus({ folder: '/log', log, files: left });
  await publish(next, 'four');
  expect((await readAll(next, 'g', 4)).map((name) => name.trim())).toEqual(['one', 'two', 'three', 'four']);
  expect(warnings).toEqual([]);
  expect(left.paths().filter((path) => path.endsWith('.log'))).toHaveLength(1);
  await Promise.all([first.close(), next.close()]);
});
