import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { findOverShare } from './shares.ts';

const [loud, busy, quiet] = [parseTenantId('loud'), parseTenantId('busy'), parseTenantId('quiet')];
const GIB = 1024 ** 3;
const tenants = new Map([
  [loud, 80 * GIB],
  [busy, 9 * GIB],
  [quiet, 1 * GIB],
]);

test('while there is room on the disk nobody has a share', () => {
  expect(findOverShare({ freeBytes: 6 * GIB, totalBytes: 100 * GIB, tenants }).size).toBe(0);
});

test('on a disk that is nearly full, whoever holds more than an equal share takes no more of it', () => {
  expect([...findOverShare({ freeBytes: 4 * GIB, totalBytes: 100 * GIB, tenants })]).toEqual([loud]);
});

test('a tenant that holds nothing yet has a share too', () => {
  const alone = new Map([[loud, 90 * GIB]]);
  const disk = { freeBytes: GIB, totalBytes: 100 * GIB };
  expect([...findOverShare({ ...disk, tenants: new Map([...alone, [quiet, 0]]) })]).toEqual([loud]);
  expect(findOverShare({ ...disk, tenants: alone }).size).toBe(0);
});

test('of a large disk 16 GiB are kept', () => {
  const use = { totalBytes: 10_000 * GIB, tenants };
  expect(findOverShare({ ...use, freeBytes: 17 * GIB }).size).toBe(0);
  expect([...findOverShare({ ...use, freeBytes: 15 * GIB })]).toEqual([loud]);
});

test('what is acknowledged and not stored yet takes nothing of what is kept', () => {
  const use = { freeBytes: 8 * GIB, totalBytes: 100 * GIB, tenants };
  expect(findOverShare({ ...use, waitingBytes: GIB }).size).toBe(0);
  expect([...findOverShare({ ...use, waitingBytes: 2 * GIB })]).toEqual([loud]);
});

const on = (freeGib: number, held: Readonly<Record<string, number>>): string[] => {
  const use = new Map(Object.entries(held).map(([name, gib]) => [parseTenantId(name), gib * GIB]));
  return [...findOverShare({ freeBytes: freeGib * GIB, totalBytes: 100 * GIB, tenants: use })].sort();
};
const idle = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`idle-${i}`, 0.1]));

test('whoever stays just below another is refused too before the disk is full', () => {
  expect(on(4.5, { a: 60, b: 35.5 })).toEqual(['a']);
  expect(on(0.1, { a: 60, b: 39.9 })).toEqual(['a', 'b']);
  expect(on(3.5, { a: 26, 'b-1': 23.5, 'b-2': 23.5, 'b-3': 23.5 })).toEqual(['a', 'b-1', 'b-2', 'b-3']);
});

test('idle tenants lower nobody’s share', () => {
  expect(on(4, { a: 12, b: 83, ...idle })).toEqual(['b']);
  expect(on(2, { a: 20, b: 77, ...idle })).toEqual(['b']);
});

test('a small tenant is stored until next to nothing is left', () => {
  expect(on(0.5, { a: 60, b: 38, c: 1 })).toEqual(['a', 'b']);
});
