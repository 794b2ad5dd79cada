import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createMemoryTelemetry } from '#telemetry';
import { createMemoryReader } from './memory-reader.ts';
import { type TestSpan, type TestTables, writeFlows, writeSpans } from './test-rows.ts';

const ACME = parseTenantId('acme');
const MINUTE = 60_000;
const NOW = Math.floor(Date.now() / MINUTE) * MINUTE + 30_000;
const BASE = NOW - 5 * MINUTE;

function open(maxSpans?: number) {
  const { memory, readers } = createMemoryTelemetry();
  if (memory === undefined) throw new Error('There are no tables in memory.');
  const clock = { now: () => NOW };
  const reader = createMemoryReader({ memory, readers, clock, ...(maxSpans !== undefined && { maxSpans }) });
  const question = { from: NOW / MINUTE - 10, to: NOW / MINUTE + 10, ripe: 0, limit: 2001 };
  const whole = { ...question, from: Math.floor(question.from), to: Math.floor(question.to) };
  return { memory: memory as TestTables, read: (who = ACME) => reader.read(who, whole) };
}

const request = (n: number, atMs = BASE): TestSpan[] => [
  { trace: `t${n}`, id: 'call', service: 'web', kind: 'client', atMs, peer: 'orders' },
  { trace: `t${n}`, id: 'order', parent: 'call', service: 'orders', kind: 'server', atMs, error: n % 2 === 0 },
];

test('of too many spans it counts whole traces, as many times as it left others out', async () => {
  const { memory, read } = open(300);
  const spans = Array.from({ length: 600 }, (_, n) => request(n)).flat();
  await writeSpans(memory, ACME, spans);
  const { sums, computed } = await read();
  expect(computed).toMatchObject({ spans: 1200, one_in: 4 });
  const call = sums.find(({ kind }) => kind === 'call');
  expect(Math.abs((call?.calls ?? 0) - 600)).toBeLessThan(200);
  expect((call?.calls ?? 1) % 4).toBe(0);
  expect(sums.map(({ kind }) => kind).sort()).toEqual(['call', 'service', 'service']);
});

test('leaves out what is not over and what another tenant sent, in whatever order blocks came', async () => {
  const { memory, read } = open();
  await writeSpans(memory, ACME, request(1).slice(1));
  await writeSpans(memory, parseTenantId('other'), request(2));
  await writeSpans(memory, ACME, [...request(1).slice(0, 1), ...request(3, NOW)]);
  const { sums, computed } = await read();
  expect(sums.filter(({ kind }) => kind !== 'service')).toMatchObject([
    { source: 'web', target: 'orders', kind: 'call', calls: 1, errors: 0 },
  ]);
  expect(computed).toMatchObject({ spans: 2 });
  expect(await read(parseTenantId('nobody'))).toEqual({ sums: [], computed: undefined, waiting: 0 });
});

test('a point that was delivered twice, and points in several blocks, count once', async () => {
  const { memory, read } = open();
  const flow = (...points: [number, number][]) => writeFlows(memory, ACME, [{ from: 'a', to: 'b', points }]);
  await flow([BASE + MINUTE, 900], [BASE + 2 * MINUTE, 50]);
  await flow([BASE, 100], [BASE + MINUTE, 900]);
  const { sums } = await read();
  expect(sums).toMatchObject([{ source: 'a', target: 'b', kind: 'flow', bytes: 850, calls: 0 }]);
});
