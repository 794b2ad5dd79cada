import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import type { FromWorker, Part } from './messages.ts';
import { createOutbox } from './outbox.ts';

/** What the other thread is told of one request of so many bytes, and the bytes. */
async function publishOne(bytes: number, makesCrc: boolean): Promise<{ part: Part | undefined; value: Buffer }> {
  const value = Buffer.from(new SharedArrayBuffer(bytes + 8), 8).fill('otlp');
  const posted = await new Promise<FromWorker>((resolve) => {
    const job = { signal: 'traces', tenant: parseTenantId('shop'), at: 1, charge: bytes, parts: [value] } as const;
    void createOutbox(resolve, { makesCrc }).publish(job);
  });
  if (posted.type !== 'publish') throw new Error(`posted ${posted.type}`);
  return { part: posted.jobs[0]?.parts[0], value };
}

test('a large part goes with the crc of its bytes where the bus writes checksums', async () => {
  const { part, value } = await publishOne(100_000, true);
  expect(part).toEqual({ piece: 0, start: 8, bytes: 100_000, crc: crc32(value) });
});

test('a small part, and one for a bus that has checksums of its own, goes without', async () => {
  expect((await publishOne(20, true)).part).toEqual({ piece: 0, start: 8, bytes: 20 });
  expect((await publishOne(100_000, false)).part).toEqual({ piece: 0, start: 8, bytes: 100_000 });
});
