import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { type TestSpan, writeSpans } from './test-spans.ts';
import { BASE, callerOf, idOf, MS, traceOf } from './test-traces.ts';

let telemetry: Telemetry;
beforeAll(async () => {
  telemetry = await openTestTelemetry();
});
afterAll(() => telemetry?.close());

/** A request and a call within it, of which either may have failed. */
const request = (n: number, { root = 0, call = 0 }): TestSpan[] => [
  { trace: traceOf(n), id: idOf(1), at: BASE + BigInt(n) * MS, duration: 9e6, status: root },
  { trace: traceOf(n), id: idOf(2), parent: idOf(1), at: BASE + BigInt(n) * MS, duration: 5e6, status: call },
];
const FAILED = 2;

test('a list of roots holds the traces that a scatter counts, page after page, and no others after the last', async () => {
  const tenant = parseTenantId('roots');
  const failed = Array.from({ length: 4 }, (_, i) => request(i + 1, { root: FAILED, call: FAILED }));
  const survived = Array.from({ length: 12 }, (_, i) => request(i + 11, { call: FAILED }));
  await writeSpans(telemetry.store, tenant, [...failed, ...survived].flat());
  const asks = callerOf(telemetry, tenant);
  expect(await asks.scatter({ status: 'error' })).toMatchObject({ of: 'roots', total: 4 });
  expect((await asks.list({ status: 'error' })).items).toHaveLength(16);
  for (const sort of ['time', 'duration'] as const) {
    const pages: string[][] = [];
    for (let cursor: string | null | undefined; cursor !== null && pages.length < 5; ) {
      const page = await asks.list({ status: 'error', of: 'roots', sort, limit: 2, ...(cursor && { cursor }) });
      expect(page.of).toBe('roots');
      pages.push(page.items.map(({ trace_id: id }) => id));
      cursor = page.next_cursor;
    }
    expect(pages.flat().sort()).toEqual([1, 2, 3, 4].map(traceOf));
  }
});

test('the slowest are those that took longest, whatever was done after their answer', async () => {
  const tenant = parseTenantId('mail');
  const [mailed, slower] = [traceOf(1), traceOf(2)];
  await writeSpans(telemetry.store, tenant, [
    { trace: mailed, id: idOf(1), at: BASE, duration: 50e6 },
    { trace: mailed, id: idOf(2), parent: idOf(1), at: BASE + 45n * MS, duration: 100e6, name: 'send mail' },
    { trace: slower, id: idOf(1), at: BASE, duration: 60e6 },
  ]);
  const asks = callerOf(telemetry, tenant);
  const { items } = await asks.list({ sort: 'duration' });
  expect(items.map(({ trace_id: id, root, duration_ms: ms }) => [id, root.duration_ms, ms])).toEqual([
    [slower, 60, 60],
    [mailed, 50, 145],
  ]);
  expect((await asks.get({ id: mailed })).root.duration_ns).toBe(50e6);
});

test('a list of roots is one of spans where no root matches or the filter names a kind of span', async () => {
  const tenant = parseTenantId('survived');
  await writeSpans(telemetry.store, tenant, request(1, { call: FAILED }));
  const asks = callerOf(telemetry, tenant);
  for (const filter of [{ status: 'error' as const }, { service: 'shop' }]) {
    expect(await asks.list({ ...filter, of: 'roots' })).toMatchObject({ of: 'spans', items: [{ trace_id: traceOf(1) }] });
  }
});
