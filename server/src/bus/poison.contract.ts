import { setTimeout as sleep } from 'node:timers/promises';
import type { Topic } from '@svc/contracts/bus-topics';
import { afterEach, describe, expect, test } from 'vitest';
import { AppError, type TenantId } from '#kernel';
import type { BusHarness } from './bus.contract.ts';
import type { BatchHandler, Bus, BusMessage, OutgoingMessage, Quarantine, SetAsideMessage, SubscribeOptions } from './port.ts';

const away = () => new AppError('unavailable', 'The store is away.', { retryAfterSeconds: 1 });
const refuses = () => new AppError('internal', 'The column store refused a statement.', { cause: new Error('Cannot parse') });

const message = (tenant: string, body: string): OutgoingMessage => ({
  tenant: tenant as TenantId,
  value: Buffer.from(body),
  headers: { at: '1770000000000', body },
});
const numbered = (tenant: string, count: number, isPoison: (i: number) => boolean = () => false): OutgoingMessage[] =>
  Array.from({ length: count }, (_, i) => message(tenant, `${tenant}:${i}${isPoison(i) ? ' poison' : ''}`));
const bodies = (messages: readonly { value: Buffer }[]): string[] => messages.map(({ value }) => value.toString());
const isPoison = ({ value }: { value: Buffer }): boolean => value.includes('poison');

async function until(claim: () => boolean | Promise<boolean>, ms = 30_000): Promise<void> {
  for (const end = Date.now() + ms; !(await claim()); await sleep(10))
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${claim}`);
}

/** Searches to the end however slow the machine is, so that nothing is set aside unexamined. */
const UNHURRIED = { searchMs: 60_000 };

/** As a durable one behaves: the same message at the same place is one entry. */
function memoryQuarantine() {
  const entries = new Map<string, SetAsideMessage>();
  const state = { away: false, puts: 0 };
  const quarantine: Quarantine = {
    async put(messages) {
      state.puts++;
      if (state.away) throw away();
      for (const one of messages) {
        const key = `${one.topic} ${one.group} ${one.partition} ${one.offset} ${one.value}`;
        if (!entries.has(key)) entries.set(key, { ...one, value: Buffer.from(one.value) });
      }
    },
  };
  return { quarantine, state, all: () => [...entries.values()], bodies: () => bodies([...entries.values()]).sort() };
}

/** A store that takes whole batches or nothing, and refuses those that hold poison. */
function pickyStore() {
  const stored: string[] = [];
  const state = { calls: 0, mostAtOnce: 0, now: 0 };
  const failure: { of?: ((messages: readonly BusMessage[]) => Error | undefined) | undefined } = {};
  const handler: BatchHandler = async ({ messages }, signal) => {
    state.calls++;
    state.mostAtOnce = Math.max(state.mostAtOnce, ++state.now);
    try {
      await sleep(1, undefined, { signal });
      const failed = failure.of?.(messages) ?? (messages.some(isPoison) ? refuses() : undefined);
      if (failed) throw failed;
      stored.push(...bodies(messages));
    } finally {
      state.now--;
    }
  };
  const of = (tenant: string): string[] => stored.filter((body) => body.startsWith(`${tenant}:`));
  return { handler, stored, of, state, failure };
}

/** Two tenants that share a partition wherever there are 4 to 12 of them, found by trying. */
async function sharing(bus: Bus, topic: Topic): Promise<[string, string]> {
  const partitions = new Map<number, string>();
  let found: [string, string] | undefined;
  const subscription = await bus.subscribe({ topic, group: 'finding' }, async ({ partition, messages }) => {
    for (const { tenant } of messages) {
      const other = partitions.get(partition);
      if (other !== undefined && other !== tenant) found ??= [other, tenant];
      partitions.set(partition, other ?? tenant);
    }
  });
  await bus.publish(
    topic,
    Array.from({ length: 30 }, (_, i) => message(`t${i}`, 'where am I?')),
  );
  await until(() => found !== undefined);
  await until(async () => (await subscription.lag()) === 0);
  await subscription.close();
  return found as [string, string];
}

/** Runs the port's contract for messages on which a handler always fails. */
export function describePoison(name: string, harness: BusHarness): void {
  const opened: Bus[] = [];
  const open = async () => {
    const bus = await harness.open();
    opened.push(bus);
    return bus;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((bus) => bus.close()));
  });
  const start = async (options: Partial<SubscribeOptions> = {}) => {
    const [bus, topic] = [await open(), await harness.freshTopic()];
    const [a, b] = await sharing(bus, topic);
    const [aside, store] = [memoryQuarantine(), pickyStore()];
    const subscribe = (to: Bus = bus) =>
      to.subscribe({ topic, group: 'poison', quarantine: aside.quarantine, ...options }, async (batch, signal) => {
        const own = batch.messages.filter(({ value }) => !value.includes('where am I?'));
        if (own.length > 0) await store.handler({ ...batch, messages: own }, signal);
      });
    return { bus, topic, a, b, aside, store, subscribe };
  };

  describe(`${name}: messages on which the handler always fails`, () => {
    test.each([
      ['first', 0],
      ['in the middle', 6],
      ['last', 11],
    ])('one that comes %s is set aside as it was sent, and all others are handled once, in order', async (_, place) => {
      const { bus, topic, a, aside, store, subscribe } = await start();
      const sent = numbered(a, 12, (i) => i === place);
      await bus.publish(topic, sent);
      const subscription = await subscribe();
      await until(() => store.stored.length >= 11);
      expect(store.stored).toEqual(bodies(sent).filter((body) => !body.includes('poison')));
      await until(async () => (await subscription.lag()) === 0);
      const [entry, ...others] = aside.all();
      expect(others).toEqual([]);
      expect(entry).toMatchObject({ topic, group: 'poison', tenant: a, reason: 'refused', headers: sent[place]?.headers });
      expect(entry?.value.equals(sent[place]?.value as Buffer)).toBe(true);
      expect(entry?.error).toBe('The column store refused a statement. Cannot parse');
    });

    test.each([
      ['one batch at a time', {}],
      ['two in flight, memory lent', { inFlight: 2, lent: true, maxMessages: 20 }],
    ])('several of one tenant cost the other tenant of its partition neither a message nor its order: %s', async (_, options) => {
      const { bus, topic, a, b, aside, store, subscribe } = await start({ ...UNHURRIED, ...options });
      const [good, bad] = [numbered(a, 100), numbered(b, 100, (i) => i % 9 === 0)];
      await bus.publish(
        topic,
        good.flatMap((one, i) => [one, bad[i] as OutgoingMessage]),
      );
      await subscribe();
      await until(() => store.stored.length >= 188);
      await until(() => aside.all().length >= 12);
      expect(store.of(a)).toEqual(bodies(good));
      expect(store.of(b)).toEqual(bodies(bad).filter((body) => !body.includes('poison')));
      expect(aside.bodies()).toEqual(bodies(bad.filter(isPoison)).sort());
      await until(async () => (await bus.health()).status === 'ok');
    });

    test('a fault of the handler is one too, and health never shows what is being set aside', async () => {
      const { bus, topic, a, aside, store, subscribe } = await start();
      store.failure.of = (messages) => (messages.some(isPoison) ? new TypeError('x is not a function') : undefined);
      const seen = new Set<string>();
      const watch = setInterval(() => void bus.health().then(({ status }) => seen.add(status)), 5);
      await bus.publish(
        topic,
        numbered(a, 30, (i) => i % 10 === 5),
      );
      await subscribe();
      await until(() => aside.all().length === 3 && store.stored.length === 27);
      clearInterval(watch);
      expect(new Set(aside.all().map(({ reason }) => reason))).toEqual(new Set(['failed']));
      expect([...seen]).toEqual(['ok']);
    });

    test('a store that is away for long, or of which others say so, sets nothing aside', async () => {
      const { bus, topic, a, aside, store, subscribe } = await start();
      const codes = ['unavailable', 'query_limit', 'rate_limited', 'writer_unavailable', 'conflict'] as const;
      store.failure.of = () => new AppError(codes[store.state.calls % codes.length] ?? 'unavailable', 'not now');
      await bus.publish(topic, numbered(a, 20));
      await subscribe();
      await until(() => store.state.calls >= 6);
      expect(aside.state.puts).toBe(0);
      await until(async () => (await bus.health()).status === 'degraded');
      store.failure.of = undefined;
      await until(() => store.stored.length >= 20);
      expect(store.stored).toEqual(bodies(numbered(a, 20)));
      expect(aside.all()).toEqual([]);
    });

    test('a store short of memory gets smaller batches, and keeps waiting what does not fit alone', async () => {
      const { bus, topic, a, aside, store, subscribe } = await start();
      const sent = numbered(a, 12);
      const isLarge = ({ value }: { value: Buffer }) => value.equals(sent[6]?.value as Buffer);
      store.failure.of = (messages) =>
        messages.length > 4 || messages.some(isLarge) ? new AppError('too_large', 'no memory') : undefined;
      await bus.publish(topic, sent);
      const subscription = await subscribe();
      await until(() => store.stored.length >= 11);
      const { calls } = store.state;
      await until(() => store.state.calls >= calls + 5);
      expect(aside.state.puts).toBe(0);
      expect(await subscription.lag()).toBeGreaterThan(0);
      await until(async () => (await bus.health()).status === 'degraded');
      store.failure.of = undefined;
      await until(async () => (await subscription.lag()) === 0);
      expect(store.stored.toSorted()).toEqual(bodies(sent).toSorted());
      expect(aside.all()).toEqual([]);
    });

    test('a handler on which every message fails sets none aside: the fault is hardly theirs', async () => {
      const { bus, topic, a, aside, store, subscribe } = await start();
      store.failure.of = () => new TypeError('x is not a function');
      const subscription = await subscribe();
      await until(async () => (await subscription.lag()) === 0);
      await bus.publish(topic, numbered(a, 10));
      await until(() => store.state.calls >= 30);
      expect(aside.state.puts).toBe(0);
      await until(async () => (await bus.health()).status === 'degraded');
      store.failure.of = undefined;
      await until(() => store.stored.length >= 10);
      expect(store.stored).toEqual(bodies(numbered(a, 10)));
      expect(aside.all()).toEqual([]);
    });

    test('a store that comes and goes costs no good message', async () => {
      let seed = 42;
      let asked = 0;
      // It stays in the end: on Kafka each failure costs a pause of up to 10 s, and how many there are depends on how the batches fall.
      const isBad = () => {
        seed = (seed * 16_807) % 2_147_483_647;
        return asked++ < 30 && seed / 2_147_483_647 < 0.3;
      };
      const probe = async () => {
        if (isBad()) throw away();
      };
      const { bus, topic, a, aside, store, subscribe } = await start({ probe, maxMessages: 8 });
      // Never a good one alone: refused three times by a store that is well, it would rightly be set aside.
      store.failure.of = (messages) => (isBad() ? (messages.length > 1 && isBad() ? refuses() : away()) : undefined);
      const sent = numbered(a, 24, (i) => i === 10);
      await bus.publish(topic, sent);
      await subscribe();
      await until(() => store.stored.length >= 23, 55_000);
      expect(aside.bodies().filter((body) => !body.includes('poison'))).toEqual([]);
      expect(store.stored).toEqual(bodies(sent).filter((body) => !body.includes('poison')));
    }, 60_000);

    test('nothing is set aside while the store fails its probe, nor committed while the quarantine is away', async () => {
      let isWell = false;
      const probe = async () => {
        if (!isWell) throw new Error('read-only');
      };
      const { bus, topic, a, aside, store, subscribe } = await start({ probe });
      aside.state.away = true;
      await bus.publish(
        topic,
        numbered(a, 3, (i) => i === 1),
      );
      const subscription = await subscribe();
      await until(() => store.stored.length >= 1 && store.state.calls > 8);
      expect(aside.state.puts).toBe(0);
      isWell = true;
      await until(() => aside.state.puts >= 2);
      expect(await subscription.lag()).toBeGreaterThanOrEqual(3);
      aside.state.away = false;
      await until(async () => (await subscription.lag()) === 0);
      expect(aside.bodies()).toEqual([`${a}:1 poison`]);
      expect(store.stored).toEqual([`${a}:0`, `${a}:2`]);
    });

    test('a handler sets aside what its topic does not carry', async () => {
      const { bus, topic, a, aside } = await start();
      await bus.publish(
        topic,
        numbered(a, 5, (i) => i === 3),
      );
      const handled: string[] = [];
      await bus.subscribe({ topic, group: 'sorting', quarantine: aside.quarantine, lent: true }, async (batch) => {
        const foreign = batch.messages.filter(isPoison);
        const kept = batch.setAside?.(foreign, 'not_otlp');
        handled.push(
          ...bodies(batch.messages.filter((one) => !isPoison(one) && one.tenant === a && one.headers.body !== 'where am I?')),
        );
        batch.release?.();
        await kept;
      });
      await until(() => handled.length >= 4 && aside.all().length === 1);
      expect(aside.all()).toMatchObject([{ tenant: a, reason: 'not_otlp' }]);
      expect(aside.bodies()).toEqual([`${a}:3 poison`]);
    });

    test('a thousand of one tenant hold up the other tenant of its partition for little longer than the first search', async () => {
      const { bus, topic, a, b, aside, store, subscribe } = await start({ maxMessages: 5000 });
      await bus.publish(
        topic,
        numbered(b, 1000, () => true),
      );
      await subscribe();
      const waits: number[] = [];
      for (let i = 0; i < 40; i++) {
        const began = performance.now();
        await bus.publish(topic, [...numbered(b, 50, () => true), message(a, `${a}:${i}`)]);
        await until(() => store.of(a).length === i + 1);
        waits.push(performance.now() - began);
      }
      expect(store.of(a)).toEqual(bodies(numbered(a, 40)));
      await until(() => aside.all().length > 0 && aside.all().length === new Set(aside.all().map(({ offset }) => offset)).size);
      const sorted = waits.toSorted((x, y) => x - y);
      expect(sorted.at(-1)).toBeLessThan(8000);
      expect(sorted[20]).toBeLessThan(1000);
    }, 60_000);

    if (harness.durable)
      test('a stop in the middle of the search loses and doubles nothing', async () => {
        const { bus, topic, a, b, aside, store, subscribe } = await start(UNHURRIED);
        const [good, bad] = [numbered(a, 40), numbered(b, 40, (i) => i % 4 === 0)];
        await bus.publish(
          topic,
          good.flatMap((one, i) => [one, bad[i] as OutgoingMessage]),
        );
        await subscribe();
        await until(() => aside.all().length >= 2);
        await bus.close();
        const before = aside.all().length;
        expect(before).toBeLessThan(10);
        const after = await open();
        const subscription = await subscribe(after);
        await until(async () => aside.all().length >= 10 && (await subscription.lag()) === 0);
        expect(aside.bodies()).toEqual(bodies(bad.filter(isPoison)).sort());
        // Handled again, as after any stop, but none is missing.
        expect([...new Set(store.of(a))]).toEqual(bodies(good));
        expect(new Set(store.of(b))).toEqual(new Set(bodies(bad).filter((body) => !body.includes('poison'))));
      });
  });
}
