import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { type TestSpan, writeSpans } from './test-spans.ts';
import { BASE, callerOf, idOf, MS, NOW, traceOf } from './test-traces.ts';

let telemetry: Telemetry;

const asks = (tenant: TenantId) => callerOf(telemetry, tenant);

describe('in the column store', () => {
  beforeAll(async () => {
    telemetry = await openTestTelemetry();
  });
  afterAll(() => telemetry?.close());

  test('how long it took over time, of roots where no kind of span is named', async () => {
    const steady = parseTenantId('steady');
    const ofMinute = (n: number, lengths: readonly number[]): TestSpan[] =>
      lengths.map((ms, i) => ({
        trace: traceOf(n * 100 + i + 1),
        id: idOf(n * 100 + i + 1),
        at: BASE + BigInt(n * 60_000 + i) * MS,
        duration: ms * 1e6,
        status: i === 0 ? 2 : 0,
      }));
    const child = { trace: traceOf(1), id: idOf(900), parent: idOf(1), at: BASE, duration: 5e9, service: 'stock' };
    await writeSpans(telemetry.store, steady, [...ofMinute(0, [10, 20, 30]), ...ofMinute(2, [40]), child]);
    const window = { from: new Date(NOW - 600_000).toISOString(), to: new Date(NOW + 3_600_000 * 4).toISOString() };
    expect(await asks(steady).latency(window)).toEqual({
      of: 'roots',
      ...window,
      step_ms: 60_000,
      steps: [
        {
          at: new Date(NOW - 600_000).toISOString(),
          total: 3,
          errors: 1,
          p50_ms: 20,
          p95_ms: 29,
          p99_ms: expect.closeTo(29.8),
        },
        { at: new Date(NOW - 480_000).toISOString(), total: 1, errors: 1, p50_ms: 40, p95_ms: 40, p99_ms: 40 },
      ],
    });
    expect(await asks(steady).latency({ ...window, service: 'stock' })).toMatchObject({
      of: 'spans',
      steps: [{ total: 1, errors: 0, p50_ms: 5000 }],
    });
    const coarse = await asks(steady).latency({ ...window, steps: 10 });
    expect(coarse).toMatchObject({ step_ms: 30 * 60_000, steps: [{ at: '2026-11-21T11:30:00.000Z', total: 4 }] });
    expect(await asks(steady).latency({ service: 'nobody' })).toMatchObject({ of: 'spans', steps: [] });
  });

  test('of thousands of points the failed and longest are kept and the others sampled, also where most are as long', async () => {
    const many = parseTenantId('many');
    const spans = Array.from({ length: 5000 }, (_, i) => ({
      trace: traceOf(i + 1),
      id: idOf(i + 1),
      at: BASE + BigInt(i) * MS,
      duration: i % 1000 === 999 ? 9e6 : 5e6,
      status: i % 7 === 0 ? 2 : 0,
    }));
    await writeSpans(telemetry.store, many, spans);
    const plot = await asks(many).scatter({});
    expect(plot).toMatchObject({ total: 5000, errors: 715, p50_ms: 5 });
    expect(plot.points.filter(({ ms }) => ms === 9)).toHaveLength(5);
    expect(plot.points.filter(({ error }) => error).length).toBeGreaterThanOrEqual(600);
    expect(plot.points.filter(({ error }) => !error).length).toBeGreaterThanOrEqual(1400);
    expect(plot.points.length).toBeLessThanOrEqual(2100);
    const ids = (points: typeof plot.points): string[] => points.map(({ span_id: id }) => id).sort();
    expect(ids((await asks(many).scatter({})).points)).toEqual(ids(plot.points));
  });

  test('points are the same whatever was asked before', async () => {
    const swings = parseTenantId('swings');
    const minute = (n: number, spans: number, ms: number): TestSpan[] =>
      Array.from({ length: spans }, (_, i) => ({
        trace: traceOf(i + 1),
        id: idOf(i + 1),
        at: BASE + BigInt(n * 60_000 + (i % 60_000)) * MS,
        duration: ms * 1e6 + i,
        status: i % 5 === 0 ? 2 : 0,
      }));
    await writeSpans(telemetry.store, swings, [
      ...minute(0, 6000, 5),
      ...minute(1, 40, 3),
      ...minute(2, 6000, 50),
      ...minute(3, 300, 50),
    ]);
    const windowOf = (n: number) => ({
      from: new Date(NOW - 600_000 + n * 60_000).toISOString(),
      to: new Date(NOW - 600_000 + (n + 1) * 60_000).toISOString(),
    });
    const asked = asks(swings);
    for (const n of [0, 0, 1, 2, 3, 0, 3, 1]) {
      const plot = await asked.scatter(windowOf(n));
      expect(plot, `minute ${n}`).toEqual(await asks(swings).scatter(windowOf(n)));
      if (n === 1) expect(plot.points).toHaveLength(40);
    }
  });
});
