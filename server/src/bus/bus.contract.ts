import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Topic } from '@svc/contracts/bus-topics';
import { afterEach, describe, expect, test } from 'vitest';
import { AppError, type TenantId } from '#kernel';
import { type Bus, type BusBatch, MAX_MESSAGE_BYTES, type OutgoingMessage } from './port.ts';

/** What a suite gives to run the contract on its adapter. */
export interface BusHarness {
  /** A topic that no test has used. */
  freshTopic(): Promise<Topic>;
  /** A bus on the same ground as the one opened before, small enough that `full` is reached within some megabytes when asked. */
  open(options?: { bounded?: boolean }): Promise<Bus>;
  /** Messages outlive close and open. */
  durable: boolean;
  /** The adapter itself bounds what it holds. */
  bounded: boolean;
}

const T = (name: string) => name as TenantId;
const text = (tenant: string, body: string): OutgoingMessage => ({ tenant: T(tenant), value: Buffer.from(body) });

/** Waits until the claim holds; fails with what it saw. */
async function until(claim: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await claim())) {
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${claim}`);
    await sleep(10);
  }
}

/** A handler that keeps all it got, by tenant in the order of arrival. */
function collector() {
  const byTenant = new Map<string, string[]>();
  const batches: BusBatch[] = [];
  const all = () => [...byTenant.values()].flat();
  return {
    byTenant,
    batches,
    all,
    handler: async (batch: BusBatch) => {
      batches.push(batch);
      for (const message of batch.messages) {
        const list = byTenant.get(message.tenant) ?? [];
        byTenant.set(message.tenant, list);
        list.push(message.value.toString());
      }
    },
  };
}

const numbered = (tenant: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => text(tenant, `${tenant}:${from + index}`));

/** Runs the port's contract on an adapter. */
export function describeBus(name: string, harness: BusHarness): void {
  const opened: Bus[] = [];
  const open = async (options?: { bounded?: boolean }) => {
    const bus = await harness.open(options);
    opened.push(bus);
    return bus;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((bus) => bus.close()));
  });

  describe(`${name}: delivery`, () => {
    test('keeps the order of every tenant and rising offsets, over many concurrent calls', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      const tenants = Array.from({ length: 12 }, (_, index) => `tenant-${index}`);
      const got = collector();
      await bus.subscribe({ topic, group: 'order' }, got.handler);
      for (let round = 0; round < 20; round++)
        await Promise.all(tenants.map((tenant) => bus.publish(topic, numbered(tenant, 5, round * 5))));
      await until(() => got.all().length >= 1200);
      for (const tenant of tenants)
        expect(got.byTenant.get(tenant)).toEqual(numbered(tenant, 100).map((m) => m.value.toString()));
      const last = new Map<number, bigint>();
      for (const batch of got.batches)
        for (const message of batch.messages) {
          expect(message.offset).toBeGreaterThan(last.get(batch.partition) ?? -1n);
          last.set(batch.partition, message.offset);
        }
      expect(last.size).toBeGreaterThan(1);
    });

    test('delivers values and headers as they were, empty and binary ones too', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      const value = randomBytes(3000);
      const seen: { value: Buffer; headers: unknown; topic: string; tenant: string }[] = [];
      await bus.publish(topic, [
        { tenant: T('acme'), value, headers: { received: '2026-11-21T00:00:00Z', 'x-ü': 'ö "q"' } },
        { tenant: T('acme'), value: Buffer.alloc(0) },
        { tenant: T('acme'), value, headers: { received: 'with its crc' }, crc: crc32(value) },
      ]);
      await bus.subscribe({ topic, group: 'bytes' }, async (batch) => {
        for (const message of batch.messages) seen.push({ ...message, topic: batch.topic });
      });
      await until(() => seen.length === 3);
      expect(seen[0]).toMatchObject({ topic, tenant: 'acme', headers: { received: '2026-11-21T00:00:00Z', 'x-ü': 'ö "q"' } });
      expect(seen[0]?.value.equals(value)).toBe(true);
      expect(seen[1]).toMatchObject({ headers: {} });
      expect(seen[1]?.value.length).toBe(0);
      expect(seen[2]?.value.equals(value)).toBe(true);
    });

    test('a caller may reuse its buffer once publish has resolved', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      const value = Buffer.from('first');
      await bus.publish(topic, [{ tenant: T('a'), value }]);
      value.write('other');
      const got = collector();
      await bus.subscribe({ topic, group: 'reuse' }, got.handler);
      await until(() => got.all().length === 1);
      expect(got.all()).toEqual(['first']);
    });

    test('groups are independent and a new one begins at the oldest', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      const [one, two] = [collector(), collector()];
      // A group that never gets on keeps everything for those to come.
      await bus.subscribe({ topic, group: 'stuck' }, async () => {
        throw new Error('this store is down');
      });
      await bus.subscribe({ topic, group: 'one' }, one.handler);
      await bus.publish(topic, numbered('a', 50));
      await until(() => one.all().length === 50);
      await bus.subscribe({ topic, group: 'two' }, two.handler);
      await until(() => two.all().length === 50);
      expect(two.byTenant.get('a')).toEqual(one.byTenant.get('a'));
    });

    test('topics are apart', async () => {
      const [bus, first, second] = [await open(), await harness.freshTopic(), await harness.freshTopic()];
      const [one, two] = [collector(), collector()];
      await bus.subscribe({ topic: first, group: 'g' }, one.handler);
      await bus.subscribe({ topic: second, group: 'g' }, two.handler);
      await Promise.all([bus.publish(first, [text('a', 'to first')]), bus.publish(second, [text('a', 'to second')])]);
      await until(() => one.all().length + two.all().length === 2);
      expect([one.all(), two.all()]).toEqual([['to first'], ['to second']]);
    });

    test('a batch keeps to its bounds and waits for more when asked', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      await bus.publish(topic, numbered('a', 25));
      const small = collector();
      await bus.subscribe({ topic, group: 'small', maxMessages: 10 }, small.handler);
      await until(() => small.all().length === 25);
      expect(Math.max(...small.batches.map((batch) => batch.messages.length))).toBeLessThanOrEqual(10);
      const [later, patient] = [await harness.freshTopic(), collector()];
      await bus.publish(later, numbered('a', 25));
      await bus.subscribe({ topic: later, group: 'patient', lingerMs: 1500 }, patient.handler);
      await sleep(100);
      await bus.publish(later, numbered('a', 5, 25));
      await until(() => patient.all().length === 30);
      expect(patient.batches.length).toBe(1);
    });
  });

  describe(`${name}: failing handlers`, () => {
    test('the same messages come again in order until they are handled, then never more', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      const tries: string[][] = [];
      const done: string[] = [];
      await bus.subscribe({ topic, group: 'again' }, async (batch) => {
        tries.push(batch.messages.map((message) => message.value.toString()));
        if (tries.length < 3) throw new Error('the store is down');
        done.push(...batch.messages.map((message) => message.value.toString()));
      });
      await bus.publish(topic, numbered('a', 7));
      await until(() => done.length >= 7);
      await sleep(300);
      expect(tries.length).toBeGreaterThanOrEqual(3);
      expect(tries[1]?.[0]).toBe('a:0');
      expect(done).toEqual(numbered('a', 7).map((message) => message.value.toString()));
    });

    test('a batch is begun while the one before it is in hand where that is asked for; behind a failed one all come again', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      const done: string[] = [];
      let [now, most, failed] = [0, 0, 0];
      await bus.publish(topic, numbered('a', 60));
      await bus.subscribe({ topic, group: 'ahead', maxMessages: 10, inFlight: 2 }, async (batch, signal) => {
        now++;
        most = Math.max(most, now);
        const first = batch.messages[0]?.value.toString();
        try {
          await sleep(30, undefined, { signal });
          if (first === 'a:20' && failed++ === 0) throw new Error('the store stumbles');
          done.push(...batch.messages.map(({ value }) => value.toString()));
        } finally {
          now--;
        }
      });
      await until(() => done.includes('a:59'));
      expect(failed).toBe(2);
      expect(most).toBeGreaterThanOrEqual(1);
      expect(most).toBeLessThanOrEqual(2);
      // In order, and behind the failed one nothing is left out: what was done there before may come again.
      const firsts = done.filter((name, i) => done.indexOf(name) === i);
      expect(new Set(done).size).toBe(60);
      expect(firsts.indexOf('a:20')).toBeLessThan(firsts.indexOf('a:40'));
      await until(async () => (await bus.health()).status === 'ok');
    });

    test('a batch that always fails blocks no other group and no other topic, and health says so', async () => {
      const [bus, bad, good] = [await open(), await harness.freshTopic(), await harness.freshTopic()];
      let failures = 0;
      await bus.subscribe({ topic: bad, group: 'poisoned' }, async () => {
        failures++;
        throw new Error('never works');
      });
      const [same, other] = [collector(), collector()];
      await bus.subscribe({ topic: bad, group: 'healthy' }, same.handler);
      await bus.subscribe({ topic: good, group: 'poisoned' }, other.handler);
      await bus.publish(bad, numbered('a', 10));
      await bus.publish(good, numbered('a', 10));
      await until(() => same.all().length === 10 && other.all().length === 10);
      await until(() => failures >= 3);
      await until(async () => (await bus.health()).status === 'degraded');
      expect((await bus.health()).detail).toContain('poisoned');
    });

    test('lag counts what is not handled yet', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      let release = () => {};
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      const subscription = await bus.subscribe({ topic, group: 'lag' }, () => gate);
      await bus.publish(topic, [...numbered('a', 4), ...numbered('b', 3), ...numbered('c', 3)]);
      await until(async () => (await subscription.lag()) === 10);
      release();
      await until(async () => (await subscription.lag()) === 0);
    });
  });

  describe(`${name}: sizes`, () => {
    test('takes the largest message and refuses one byte more', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      const value = randomBytes(MAX_MESSAGE_BYTES);
      const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
      const seen: string[] = [];
      await bus.subscribe({ topic, group: 'large' }, async (batch) => {
        for (const message of batch.messages) seen.push(sha(message.value));
      });
      await bus.publish(topic, [{ tenant: T('a'), value }, text('a', 'after'), { tenant: T('a'), value }]);
      await until(() => seen.length === 3);
      expect(seen).toEqual([sha(value), sha(Buffer.from('after')), sha(value)]);
      const over = { tenant: T('a'), value: Buffer.alloc(MAX_MESSAGE_BYTES + 1) };
      await expect(bus.publish(topic, [text('a', 'not published'), over])).rejects.toMatchObject({ code: 'too_large' });
      const noTenant = { tenant: '' as TenantId, value: Buffer.from('x') };
      await expect(bus.publish(topic, [noTenant])).rejects.toMatchObject({ code: 'validation' });
      await bus.publish(topic, [text('a', 'end')]);
      await until(() => seen.length === 4);
      expect(seen[3]).toBe(sha(Buffer.from('end')));
    });

    test('lends memory only to who asks for it: values of large and small messages are whole, one group beside another', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
      const sizes = [900_000, 30, 200_000, 70_000, 500, 0, 1_500_000, 40_000];
      const sent = Array.from({ length: 48 }, (_, i) => ({
        tenant: T(`t-${i % 7}`),
        value: randomBytes(sizes[i % sizes.length] ?? 0),
      }));
      const lent: string[] = [];
      const kept: Buffer[] = [];
      await bus.subscribe({ topic, group: 'lent', maxBytes: 3_000_000, lent: true }, async (batch) => {
        const before = batch.messages.map(({ value }) => sha(value));
        await sleep(5);
        expect(batch.messages.map(({ value }) => sha(value))).toEqual(before);
        lent.push(...before);
      });
      await bus.subscribe({ topic, group: 'kept' }, async (batch) => {
        kept.push(...batch.messages.map(({ value }) => value));
      });
      for (let i = 0; i < sent.length; i += 4) await bus.publish(topic, sent.slice(i, i + 4));
      await until(() => lent.length >= sent.length && kept.length >= sent.length);
      const all = sent.map(({ value }) => sha(value)).sort();
      expect(lent.sort()).toEqual(all);
      expect(kept.map(sha).sort()).toEqual(all);
    });

    test('many small messages arrive once each', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      const got = collector();
      await bus.subscribe({ topic, group: 'many' }, got.handler);
      const calls = Array.from({ length: 200 }, (_, call) => numbered(`t-${call % 17}`, 100, call * 100));
      await Promise.all(calls.map((messages) => bus.publish(topic, messages)));
      await until(() => got.all().length >= 20_000);
      expect(new Set(got.all()).size).toBe(20_000);
      expect(got.all().length).toBe(20_000);
      await bus.publish(topic, []);
    });
  });

  describe(`${name}: bound and closing`, () => {
    // Not said of an adapter that promises no such thing: it is no test that was skipped.
    if (harness.bounded)
      test('keeps room for the others while tenants send more than consumers take', async () => {
        let [bus, topic] = [await open({ bounded: true }), await harness.freshTopic()];
        let isDown = true;
        const slow = async () => {
          if (isDown) throw new AppError('unavailable', 'The store is away.');
        };
        const subscribe = () => bus.subscribe({ topic, group: 'slow' }, slow);
        let subscription = await subscribe();
        const value = randomBytes(50_000);
        const send = (tenant: string) => bus.publish(topic, [{ tenant: T(tenant), value }]);
        const fill = async (tenant: string): Promise<number> => {
          for (let taken = 0; taken < 1000; taken++) {
            const refused = await send(tenant).then(
              () => undefined,
              (err) => err,
            );
            if (!refused) continue;
            expect(refused).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
            return taken;
          }
          throw new Error('never refused');
        };
        const [most, more] = [await fill('greedy'), await fill('hungry')];
        expect(more).toBeGreaterThan(most / 4);
        for (let i = 0; i < 4; i++) await send('quiet');
        await expect(send('greedy')).rejects.toMatchObject({ code: 'unavailable' });
        if (harness.durable) {
          await bus.close();
          bus = await open({ bounded: true });
          subscription = await subscribe();
          await expect(send('greedy')).rejects.toMatchObject({ code: 'unavailable' });
          await send('quiet');
        }
        isDown = false;
        await until(async () => (await subscription.lag()) === 0);
        await until(() =>
          send('greedy').then(
            () => true,
            () => false,
          ),
        );
      });

    if (harness.bounded)
      test('refuses when full with the time to wait, and takes again once consumers are on', async () => {
        const [bus, topic] = [await open({ bounded: true }), await harness.freshTopic()];
        let down = true;
        let handled = 0;
        await bus.subscribe({ topic, group: 'slow' }, async (batch) => {
          if (down) throw new Error('the store is down');
          handled += batch.messages.length;
        });
        const value = randomBytes(100_000);
        let accepted = 0;
        const fill = async () => {
          for (;;) {
            await bus.publish(topic, [{ tenant: T(`t-${accepted % 5}`), value }]);
            accepted++;
            if (accepted > 10_000) throw new Error('never full');
          }
        };
        const refused = await fill().catch((err) => err);
        expect(refused).toBeInstanceOf(AppError);
        expect(refused).toMatchObject({ code: 'unavailable' });
        expect(refused.retryAfterSeconds).toBeGreaterThan(0);
        down = false;
        await until(() => handled === accepted);
        await until(() =>
          bus.publish(topic, [{ tenant: T('a'), value }]).then(
            () => true,
            () => false,
          ),
        );
        await until(() => handled === accepted + 1);
      });

    test('close waits for the running handler and then refuses', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      let [begun, ended] = [false, false];
      await bus.subscribe({ topic, group: 'drain' }, async (_batch, signal) => {
        begun = true;
        while (!signal.aborted) await sleep(5);
        await sleep(50);
        ended = true;
      });
      await bus.publish(topic, [text('a', 'one')]);
      await until(() => begun);
      await bus.close();
      expect(ended).toBe(true);
      await expect(bus.publish(topic, [text('a', 'two')])).rejects.toMatchObject({ code: 'unavailable' });
      await bus.close();
    });

    test('a closed subscription leaves the rest to the next one of its group', async () => {
      const [bus, topic] = [await open(), await harness.freshTopic()];
      const [first, second] = [collector(), collector()];
      const subscription = await bus.subscribe({ topic, group: 'handover' }, first.handler);
      await bus.publish(topic, numbered('a', 5));
      await until(() => first.all().length === 5);
      await subscription.close();
      await bus.publish(topic, numbered('a', 5, 5));
      await bus.subscribe({ topic, group: 'handover' }, second.handler);
      await until(() => second.all().length >= 5);
      expect(second.all()).toEqual(numbered('a', 5, 5).map((message) => message.value.toString()));
    });

    if (harness.durable)
      test('what was published and not handled is there after a restart, what was handled is not', async () => {
        const topic = await harness.freshTopic();
        const before = await open();
        const [kept, handled] = [collector(), collector()];
        await before.subscribe({ topic, group: 'behind' }, async () => {
          throw new Error('the store is down');
        });
        await before.subscribe({ topic, group: 'up-to-date' }, handled.handler);
        await before.publish(topic, [...numbered('a', 30), ...numbered('b', 30)]);
        await until(() => handled.all().length === 60);
        await before.close();
        const after = await open();
        const rest = collector();
        await after.subscribe({ topic, group: 'behind' }, kept.handler);
        await after.subscribe({ topic, group: 'up-to-date' }, rest.handler);
        await after.publish(topic, [text('a', 'new')]);
        await until(() => kept.all().length >= 61 && rest.all().length >= 1);
        expect(kept.byTenant.get('a')).toEqual([...numbered('a', 30).map((message) => message.value.toString()), 'new']);
        expect(rest.all()).toEqual(['new']);
      });
  });
}
