import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Topic } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { parseTenantId } from '#kernel';
import { createLogBus } from '../log.ts';

const TOPIC = 'test.behind' as Topic;
const [FLOOD, QUIET] = ['flood', 'quiet'].map(parseTenantId) as [
  ReturnType<typeof parseTenantId>,
  ReturnType<typeof parseTenantId>,
];
const ROUNDS = 260;

/** Bytes that tell which message they are, in each place. */
function makeValue(number: number, size: number): Buffer {
  const value = Buffer.alloc(size, number % 251);
  value.writeUInt32LE(number);
  return value;
}

test('who is far behind a flood, and who waits beside it, reads what was published and nothing else', {
  timeout: 60_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-log-behind-'));
  const bus = await createLogBus({ folder, log: pino({ level: 'silent' }), tailBytes: 2 * 1024 * 1024, maxBytes: 1024 ** 3 });
  const [seen, wrong]: [Set<number>, number[]] = [new Set(), []];
  try {
    await bus.subscribe(
      { topic: TOPIC, group: 'slow', lent: true, inFlight: 2, maxBytes: 32 * 1024 * 1024 },
      async ({ messages }) => {
        await sleep(30);
        for (const { value } of messages) {
          const number = value.readUInt32LE();
          if (!value.equals(makeValue(number, value.length))) wrong.push(number);
          seen.add(number);
        }
      },
    );
    let number = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const flood = Array.from({ length: 3 }, () => ({
        tenant: FLOOD,
        value: makeValue(++number, 150_000 + ((number * 7919) % 170_000)),
      }));
      const quiet = { tenant: QUIET, value: makeValue(++number, 200 + ((number * 31) % 6000)) };
      await Promise.all([
        ...flood.map((message) => bus.publish(TOPIC, [message])),
        ...(round % 3 === 0 ? [bus.publish(TOPIC, [quiet])] : []),
      ]);
      if (round % 3 !== 0) number--;
    }
    await vi.waitFor(() => expect(seen.size).toBe(number), { timeout: 30_000, interval: 50 });
    expect(wrong).toEqual([]);
  } finally {
    await bus.close();
    await rm(folder, { recursive: true, force: true });
  }
});
