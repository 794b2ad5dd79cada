import { expect, it } from 'vitest';
import { parseTenantId } from '#kernel';
import { createExportQueue } from './export-queue.ts';
import type { ExportPoint } from './result-points.ts';

const A = parseTenantId('a');
const B = parseTenantId('b');
const points = (count: number, from = 0): ExportPoint[] =>
  Array.from({ length: count }, (_, n) => ({ name: 'm', unit: '', value: from + n, atMs: 0, attributes: {} }));
const values = (packet: { points: ExportPoint[] } | undefined) => packet?.points.map(({ value }) => value);

it('gives each tenant its turn, oldest first, in packets', () => {
  const queue = createExportQueue({ maxPoints: 100, packetPoints: 2 });
  queue.add(A, points(3));
  queue.add(B, points(1, 10));
  expect([values(queue.take()), values(queue.take()), values(queue.take()), queue.take()]).toEqual([
    [0, 1],
    [10],
    [2],
    undefined,
  ]);
  expect(queue.size()).toBe(0);
});

it('lets the oldest of the fullest go, so that a flood costs who sends it', () => {
  const queue = createExportQueue({ maxPoints: 10, packetPoints: 2 });
  queue.add(B, points(2, 100));
  const gone = queue.add(A, points(20));
  expect(gone.flatMap((packet) => values(packet))).toEqual(Array.from({ length: 12 }, (_, n) => n));
  expect([queue.size(), queue.size(A), queue.size(B)]).toEqual([10, 8, 2]);
});

it('puts back what may be sent again to the front, within the bound', () => {
  const queue = createExportQueue({ maxPoints: 4, packetPoints: 2 });
  queue.add(A, points(4));
  const first = queue.take();
  if (!first) throw new Error('nothing was taken');
  expect(queue.putBack(first)).toEqual([]);
  expect(values(queue.take())).toEqual([0, 1]);
  queue.add(A, points(2, 50));
  expect(queue.putBack(first).map((packet) => values(packet))).toEqual([[0, 1]]);
  expect(queue.size()).toBe(4);
});
