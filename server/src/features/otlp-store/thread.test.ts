import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createBuildThread } from './thread.ts';

const batch = { signal: 'logs' as const, partition: 0, messages: [] };

test('a thread that takes too long is ended: only what it works on may be at fault, and what comes next has a new one', async () => {
  // Less than any thread needs to begin.
  const thread = createBuildThread(pino({ level: 'silent' }), { limitMs: 1 });
  const [first, second] = await Promise.allSettled([thread.build(batch), thread.build(batch)]);
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  await thread.close();
  const patient = createBuildThread(pino({ level: 'silent' }));
  const built = await Promise.all([patient.build(batch), patient.build(batch)]);
  expect(built.map(({ refused }) => refused)).toEqual([[], []]);
  await patient.close();
});
