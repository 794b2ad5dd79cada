import { expect, test } from 'vitest';
import type { BuildMessage } from './builder.ts';
import { EdgeMarks } from './edge-marks.ts';
import { SpanFacts } from './span-facts.ts';

const MINUTE = 60_000;
const BASE = 29_380_000;
const [CLIENT, SERVER] = [3, 2];

const messageOf = (tenant: string): BuildMessage => ({
  tenant,
  bytes: Buffer.alloc(0),
  at: 0,
  partition: 0,
  offsetLow: 0,
  offsetHigh: 0,
  large: false,
  stored: undefined,
});

function note(marks: EdgeMarks, tenant: string, span: { kind: number; atMs: number; lastsMs: number }): void {
  const facts = new SpanFacts();
  Object.assign(facts, { tsMs: span.atMs, endMs: span.atMs + span.lastsMs, kind: span.kind });
  marks.note(messageOf(tenant), facts);
}

/** Minutes of a block by tenant: the tenant's dictionary stands in front of the minutes. */
function minutesOf(block: ReturnType<EdgeMarks['finish']>): number[] {
  const at = (block?.bytes.indexOf(Buffer.from('\x06minute\x06UInt32')) ?? 0) + 14;
  return Array.from({ length: block?.rows ?? 0 }, (_, i) => (block?.bytes.readUInt32LE(at + 4 * i) ?? 0) - BASE).sort(
    (a, b) => a - b,
  );
}

test('a caller marks the minutes in which it lasts, a callee its own and the one before', () => {
  const marks = new EdgeMarks();
  note(marks, 'a', { kind: CLIENT, atMs: BASE * MINUTE + 59_999, lastsMs: 1 });
  expect(minutesOf(marks.finish(0))).toEqual([0, 1]);
  note(marks, 'a', { kind: SERVER, atMs: BASE * MINUTE, lastsMs: 90_000 });
  expect(minutesOf(marks.finish(0))).toEqual([-1, 0]);
  note(marks, 'a', { kind: CLIENT, atMs: BASE * MINUTE, lastsMs: 86_400_000 });
  expect(minutesOf(marks.finish(0))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  // It ends before it begins.
  note(marks, 'a', { kind: CLIENT, atMs: BASE * MINUTE, lastsMs: -5000 });
  expect(minutesOf(marks.finish(0))).toEqual([0]);
});

test('marks each minute once a tenant, forgets them at the end and at a reset', () => {
  const marks = new EdgeMarks();
  for (const minute of [0, 5, 0, 5, 2])
    for (const tenant of ['a', 'b']) note(marks, tenant, { kind: CLIENT, atMs: (BASE + minute) * MINUTE, lastsMs: 0 });
  expect(minutesOf(marks.finish(0))).toEqual([0, 0, 2, 2, 5, 5]);
  expect(marks.finish(0)).toBeUndefined();
  note(marks, 'a', { kind: CLIENT, atMs: BASE * MINUTE, lastsMs: 0 });
  marks.reset();
  expect(marks.finish(0)).toBeUndefined();
});
