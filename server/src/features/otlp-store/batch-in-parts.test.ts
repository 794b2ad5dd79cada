import { TOPICS } from '@svc/contracts/bus-topics';
import pino from 'pino';
import { afterAll, expect, test } from 'vitest';
import type { BusMessage } from '#bus';
import { parseTenantId } from '#kernel';
import type { ColumnStore, EncodedBlock } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { createStoreConsumer } from './consume.ts';
import { numberedSpans } from './test-requests.ts';
import { type BuildThread, createBuildThread } from './thread.ts';

const NOW = Date.now();
const SPANS = 6;
const tenant = parseTenantId('acme');
const log = pino({ level: 'silent' });
const signal = new AbortController().signal;
const thread = createBuildThread(log);
const telemetry = await openTestTelemetry();
afterAll(async () => {
  await thread.close();
  await telemetry.close();
});

/** A builder that holds two messages at a time. */
const small: BuildThread = {
  async build(batch) {
    const built = await thread.build({ ...batch, messages: batch.messages.slice(0, 2) });
    return { ...built, taken: Math.min(2, batch.messages.length) };
  },
  close: async () => undefined,
};

const messages = Array.from(
  { length: 5 },
  (_, i): BusMessage => ({
    tenant,
    value: i === 3 ? Buffer.from('no request') : numberedSpans({ number: i, spans: SPANS, nowMs: NOW }),
    headers: { at: String(NOW) },
    offset: BigInt(i),
  }),
);

async function countNames(store: ColumnStore): Promise<Record<string, number>> {
  const sql = 'SELECT name, count() AS spans FROM spans WHERE tenant_id = {tenant:String} GROUP BY name';
  const rows = await store.read<{ name: string; spans: number }>(tenant, sql);
  return Object.fromEntries(rows.map(({ name, spans }) => [name, spans]));
}

test('a batch that is built in parts and fails between them is stored once when it comes again', async () => {
  const { store } = telemetry;
  let writes = 0;
  const failing: typeof store = {
    ...store,
    writeEncoded: async (block: EncodedBlock) => {
      if (block.table === 'spans' && ++writes === 2) throw new Error('the store is away');
      await store.writeEncoded(block);
    },
  };
  const { handle, counters } = createStoreConsumer({ store: failing, thread: small, log });
  let released = 0;
  const batch = { topic: TOPICS.otlpTraces, partition: 1, messages, release: () => void released++ };
  await expect(handle(batch, signal)).rejects.toThrow('the store is away');
  expect(await countNames(store)).toEqual({ m0: SPANS, m1: SPANS });
  // The values were not all read.
  expect(released).toBe(0);
  await handle(batch, signal);
  expect(await countNames(store)).toEqual({ m0: SPANS, m1: SPANS, m2: SPANS, m4: SPANS });
  expect(released).toBe(1);
  expect(counters.tenants.get('traces')?.get(tenant)).toMatchObject({ rows: 4 * SPANS, repeated: 2 * SPANS });
  expect(counters.refused.get('traces')).toBe(1);
});
