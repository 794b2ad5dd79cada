import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Topic } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import type { TenantId } from '#kernel';
import { createLogBus, type LogBusOptions } from '../log.ts';
import type { Bus, BusBatch, BusMessage } from '../port.ts';
import { createTestDisk, type TestDisk } from './test-disk.ts';

const TOPIC = 'svc.endpoint.results' as Topic;
const tenant = 'acme' as TenantId;
const opened: Bus[] = [];

async function openOn(files: TestDisk, options: Partial<LogBusOptions> = {}): Promise<Bus> {
  const bus = await createLogBus({ folder: '/log', log: pino({ level: 'silent' }), files, ...options });
  opened.push(bus);
  return bus;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});

const message = (body: string | Buffer) => [{ tenant, value: Buffer.from(body) }];
const keepInto = (list: string[]) => async (batch: BusBatch) => {
  list.push(...batch.messages.map((each) => each.value.toString('latin1', 0, 20).trim()));
};
async function until(claim: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await claim())) {
    if (Date.now() > end) throw new Error(`never: ${claim}`);
    await sleep(5);
  }
}
const numbered = (number: number) => message(String(number).padEnd(5000));

describe('group commit', () => {
  test('callers of one moment share one sync, a lone one waits for no timer', async () => {
    const disk = createTestDisk(1);
    const bus = await openOn(disk);
    await bus.publish(TOPIC, message('first'));
    const before = disk.syncs;
    await Promise.all(Array.from({ length: 500 }, (_, index) => bus.publish(TOPIC, message(`${index}`))));
    expect(disk.syncs - before).toBeLessThanOrEqual(2);
    const begun = performance.now();
    for (let each = 0; each < 20; each++) await bus.publish(TOPIC, message('alone'));
    expect((performance.now() - begun) / 20).toBeLessThan(15);
    expect(disk.syncs - before).toBeGreaterThanOrEqual(21);
  });

  test('nothing is acknowledged or delivered before its sync', async () => {
    const disk = createTestDisk(2);
    const bus = await openOn(disk);
    const got: string[] = [];
    await bus.subscribe({ topic: TOPIC, group: 'g' }, keepInto(got));
    const gate = Promise.withResolvers<void>();
    disk.beforeSync = () => gate.promise;
    let acknowledged = false;
    const publishing = bus.publish(TOPIC, message('x')).then(() => {
      acknowledged = true;
    });
    await sleep(60);
    expect([acknowledged, got.length]).toEqual([false, 0]);
    gate.resolve();
    await publishing;
    await until(() => got.length === 1);
  });
});

describe('faults of the disk', () => {
  test('a full disk refuses with the time to wait, and takes again once consumers let files go', async () => {
    const disk = createTestDisk(3);
    const bus = await openOn(disk, { segmentBytes: 20_000 });
    const got: string[] = [];
    let down = true;
    await bus.subscribe({ topic: TOPIC, group: 'g' }, async (batch) => {
      if (down) throw new Error('the store is down');
      await keepInto(got)(batch);
    });
    disk.capacity = 200_000;
    const accepted: string[] = [];
    let refused: unknown;
    for (let number = 0; refused === undefined && number < 200; number++)
      await bus.publish(TOPIC, numbered(number)).then(
        () => accepted.push(String(number)),
        (err) => {
          refused = err;
        },
      );
    expect(refused).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5, message: expect.stringContaining('full') });
    expect(accepted.length).toBeGreaterThan(20);
    expect(await bus.health()).toMatchObject({ status: 'failed', detail: expect.stringContaining('full') });
    await expect(bus.publish(TOPIC, numbered(777))).rejects.toMatchObject({ code: 'unavailable' });
    down = false;
    await until(() => got.length === accepted.length);
    await until(() =>
      bus.publish(TOPIC, message('again')).then(
        () => true,
        () => false,
      ),
    );
    await until(() => got.includes('again'));
    expect(got).toEqual([...accepted, 'again']);
    expect((await bus.health()).status).toBe('ok');
  });

  test('a failed sync refuses its callers only, and the log goes on without a hole', async () => {
    const disk = createTestDisk(4);
    const bus = await openOn(disk);
    const got: string[] = [];
    await bus.publish(TOPIC, message('before'));
    disk.beforeSync = async () => {
      disk.beforeSync = async () => {};
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    await expect(bus.publish(TOPIC, message('refused'))).rejects.toMatchObject({ code: 'unavailable' });
    await bus.publish(TOPIC, message('after'));
    await bus.subscribe({ topic: TOPIC, group: 'g' }, keepInto(got));
    await until(() => got.length >= 2);
    expect(got).toEqual(['before', 'after']);
    await bus.close();
    const again: string[] = [];
    const next = await openOn(disk.cutPower());
    await next.subscribe({ topic: TOPIC, group: 'other' }, keepInto(again));
    await until(() => again.length >= 2);
    expect(again).toEqual(['before', 'after']);
  });

  test('a fault ends with the disk that takes writes again, though nobody sends any, and not before', async () => {
    const disk = createTestDisk(4);
    const bus = await openOn(disk, { deadlineMs: 100 });
    let tried = 0;
    disk.beforeSync = async () => {
      tried++;
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    await expect(bus.publish(TOPIC, message('refused'))).rejects.toMatchObject({ code: 'unavailable' });
    await until(async () => {
      expect((await bus.health()).status).toBe('failed');
      return tried > 3;
    });
    disk.beforeSync = async () => {};
    await until(async () => (await bus.health()).status === 'ok');
    await bus.publish(TOPIC, message('taken'));
    const got: string[] = [];
    await bus.subscribe({ topic: TOPIC, group: 'g' }, keepInto(got));
    await until(() => got.length > 0);
    expect(got).toEqual(['taken']);
    expect(disk.paths().filter((path) => path.endsWith('trial'))).toEqual([]);
    await bus.close();
  });

  test('a disk that hangs is answered within the deadline, and who comes later at once', async () => {
    const disk = createTestDisk(5);
    const bus = await openOn(disk, { deadlineMs: 100 });
    await bus.publish(TOPIC, message('one'));
    const gate = Promise.withResolvers<void>();
    disk.beforeSync = () => gate.promise;
    await expect(bus.publish(TOPIC, message('two'))).rejects.toMatchObject({ code: 'unavailable' });
    const begun = performance.now();
    await expect(bus.publish(TOPIC, message('three'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(performance.now() - begun).toBeLessThan(50);
    expect((await bus.health()).status).toBe('failed');
    disk.beforeSync = async () => {};
    gate.resolve();
    await until(async () => (await bus.health()).status === 'ok');
    await bus.publish(TOPIC, message('four'));
  });

  test('more than may wait for the disk is refused at once', async () => {
    const disk = createTestDisk(6);
    const bus = await openOn(disk);
    const gate = Promise.withResolvers<void>();
    disk.beforeSync = () => gate.promise;
    const big = message(Buffer.alloc(6_000_000));
    const calls = Array.from({ length: 14 }, () =>
      bus.publish(TOPIC, big).then(
        () => 'taken',
        (err) => err.code,
      ),
    );
    gate.resolve();
    const answers = await Promise.all(calls);
    expect(answers.filter((answer) => answer === 'taken').length).toBeGreaterThanOrEqual(10);
    expect(answers).toContain('unavailable');
  });

  test('a damaged record is stepped over and told, everything else arrives', async () => {
    const disk = createTestDisk(7);
    const bus = await openOn(disk, { segmentBytes: 20_000 });
    for (let number = 0; number < 20; number++) await bus.publish(TOPIC, numbered(number));
    await bus.close();
    const first = disk
      .paths()
      .filter((path) => path.endsWith('.log'))
      .sort()[0] as string;
    disk.damage(first, 6000);
    const next = await openOn(disk);
    const got: string[] = [];
    await next.subscribe({ topic: TOPIC, group: 'g' }, keepInto(got));
    await until(() => got.length >= 19);
    expect(got).toEqual(Array.from({ length: 20 }, (_, number) => String(number)).filter((number) => number !== '1'));
    expect(await next.health()).toMatchObject({ status: 'degraded', detail: expect.stringContaining('damaged') });
  });
});

/** Looks at the checksums, and keeps what came with a good one or was looked at before. */
const checkInto = (list: string[]) => async (batch: BusBatch) => {
  const isWrong = ({ value, checksum }: BusMessage) => checksum !== undefined && crc32(value, checksum.seed) !== checksum.crc;
  if (batch.messages.some(isWrong)) throw new Error('a message is damaged');
  await keepInto(list)(batch);
};

test.each([
  ['length', 5],
  ['place', 12],
  ['tenant', 24],
  ['headers', 30],
  ['value', 1000],
])('a handler that looks at checksums itself gets everything but the record whose %s is damaged', async (_, at) => {
  const disk = createTestDisk(7);
  const bus = await openOn(disk, { segmentBytes: 20_000 });
  const recordBytes = 24 + 'acme'.length + '{"at":"1763800000000"}'.length + 5000;
  for (let number = 0; number < 20; number++)
    await bus.publish(TOPIC, [{ tenant, value: Buffer.from(String(number).padEnd(5000)), headers: { at: '1763800000000' } }]);
  await bus.close();
  const first = disk
    .paths()
    .filter((path) => path.endsWith('.log'))
    .sort()[0] as string;
  disk.damage(first, recordBytes + at);
  const next = await openOn(disk);
  const got: string[] = [];
  await next.subscribe({ topic: TOPIC, group: 'g', lent: true, checks: true, inFlight: 2, maxBytes: 16_000 }, checkInto(got));
  await until(() => got.includes('0') && got.includes('19'));
  // What was in flight behind it came twice.
  const numbers = [...new Set(got)].map(Number).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, number) => number).filter((number) => number !== 1));
  expect(await next.health()).toMatchObject({ status: 'degraded', detail: expect.stringContaining('damaged') });
});

test('only what was read off the disk has to be looked at, and nothing of a batch that comes again', async () => {
  const disk = createTestDisk(13);
  const bus = await openOn(disk);
  await bus.publish(TOPIC, numbered(0));
  const seen: [string, boolean][] = [];
  await bus.subscribe({ topic: TOPIC, group: 'g', checks: true }, async ({ messages }) => {
    for (const { value, checksum } of messages) seen.push([value.toString('latin1', 0, 1), checksum !== undefined]);
    if (seen.length === 1) throw new Error('once more');
  });
  await until(() => seen.length === 2);
  await bus.publish(TOPIC, numbered(1));
  await until(() => seen.length === 3);
  expect(seen).toEqual([
    ['0', true],
    ['0', false],
    ['1', false],
  ]);
});

describe('what holds the log', () => {
  test('files go behind the slowest group, also when a partition is idle', async () => {
    const disk = createTestDisk(8);
    const bus = await openOn(disk, { segmentBytes: 20_000 });
    const got: string[] = [];
    await bus.publish(TOPIC, [{ tenant: 'other' as TenantId, value: Buffer.from('idle after this') }]);
    await bus.subscribe({ topic: TOPIC, group: 'g' }, keepInto(got));
    for (let number = 0; number < 40; number++) await bus.publish(TOPIC, numbered(number));
    const files = () => disk.paths().filter((path) => path.endsWith('.log')).length;
    await until(() => files() === 1 || (got.length === 41 && files() <= 2));
  });

  test('a handled file is written again; what it held never comes back, and a clean end leaves nothing to cut', async () => {
    const disk = createTestDisk(11);
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
    const bus = await openOn(disk, { segmentBytes: 20_000, log });
    const got: string[] = [];
    await bus.subscribe({ topic: TOPIC, group: 'g' }, keepInto(got));
    const hasSpare = () => disk.paths().some((path) => /\/spare-[0-9a-f]{12}$/.test(path));
    let sent = 0;
    const send = (to: Bus) => to.publish(TOPIC, numbered(sent++));
    while (sent < 40) await send(bus);
    await until(() => got.length === sent && hasSpare());
    while (hasSpare()) await send(bus);
    await send(bus);
    await until(() => got.length === sent);
    await bus.close();
    const again = await openOn(disk, { segmentBytes: 20_000, log });
    await again.subscribe({ topic: TOPIC, group: 'g' }, keepInto(got));
    await send(again);
    await until(() => got.length === sent);
    expect(got).toEqual(Array.from({ length: sent }, (_, number) => String(number)));
    expect(warnings).toEqual([]);
  });

  test('a group that nobody has opened for long holds nothing back; without any group the newest are kept', async () => {
    const disk = createTestDisk(9);
    const first = await openOn(disk, { segmentBytes: 20_000 });
    const gone = await first.subscribe({ topic: TOPIC, group: 'renamed-since' }, async () => {});
    await gone.close();
    await first.close();
    const bus = await openOn(disk, { segmentBytes: 20_000, maxBytes: 400_000, groupTtlMs: 1 });
    for (let number = 0; number < 300; number++) await bus.publish(TOPIC, numbered(number));
    const got: string[] = [];
    await bus.subscribe({ topic: TOPIC, group: 'new' }, keepInto(got));
    await until(() => got.at(-1) === '299');
    expect(got.length).toBeGreaterThanOrEqual(10);
    expect(got.length).toBeLessThan(40);
  });

  test('a stuck consumer of one topic leaves room for the others', async () => {
    const disk = createTestDisk(10);
    const bus = await openOn(disk, { segmentBytes: 20_000, maxBytes: 400_000 });
    await bus.subscribe({ topic: TOPIC, group: 'stuck' }, async () => {
      throw new Error('never');
    });
    const fill = async () => {
      for (let number = 0; number < 500; number++) await bus.publish(TOPIC, numbered(number));
    };
    await expect(fill()).rejects.toMatchObject({ code: 'unavailable' });
    const got: string[] = [];
    const other = 'svc.network.results' as Topic;
    await bus.subscribe({ topic: other, group: 'g' }, keepInto(got));
    for (let number = 0; number < 10; number++) await bus.publish(other, numbered(number));
    await until(() => got.length === 10);
  });
});
