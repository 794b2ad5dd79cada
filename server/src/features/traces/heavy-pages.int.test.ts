import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { type TestSpan, writeSpans } from './test-spans.ts';
import { BASE, callerOf, idOf, NOW, traceOf } from './test-traces.ts';

const MOST = 9 * 1024 * 1024;
const window = { from: new Date(NOW - 3_600_000).toISOString(), to: new Date(NOW).toISOString() };
let telemetry: Telemetry;
beforeAll(async () => {
  telemetry = await openTestTelemetry();
});
afterAll(() => telemetry.close());

/** With the longest names that a sender gets in, each its own. */
const heavy = (i: number, trace: string): TestSpan => ({
  trace,
  id: idOf(i + 1),
  at: BASE + BigInt(i),
  duration: 5,
  name: `${i} ${'n'.repeat(9000)}`,
  service: `${i % 20} ${'s'.repeat(4000)}`,
});
const sizeOf = (answer: unknown): number => JSON.stringify(answer).length;

test('the spans of a heavy trace end at 8 MiB, the earliest first, and say how many there are', async () => {
  const tenant = parseTenantId('heavy-trace');
  const id = traceOf(1);
  await writeSpans(
    telemetry.store,
    tenant,
    Array.from({ length: 1500 }, (_, i) => heavy(i, id)),
  );
  const trace = await callerOf(telemetry, tenant).get({ id });
  expect(trace.span_count).toBe(1500);
  expect(trace.spans.length).toBeLessThan(1500);
  expect(trace.spans[0]?.id).toBe(idOf(1));
  expect(sizeOf(trace)).toBeLessThan(MOST);
});

test('pages of heavy spans and traces end at 8 MiB, and each is on one page', async () => {
  const tenant = parseTenantId('heavy-pages');
  await writeSpans(
    telemetry.store,
    tenant,
    Array.from({ length: 1500 }, (_, i) => heavy(i, traceOf(i + 1))),
  );
  const asks = callerOf(telemetry, tenant);
  for (const list of [asks.spans, asks.list]) {
    const ids: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await list({ ...window, limit: 1000, ...(cursor !== undefined && { cursor }) });
      expect(sizeOf(page)).toBeLessThan(MOST);
      ids.push(...page.items.map((item) => item.trace_id));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect([ids.length, new Set(ids).size]).toEqual([1500, 1500]);
  }
});
