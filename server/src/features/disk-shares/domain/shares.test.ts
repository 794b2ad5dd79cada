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
  expect(findOverShare({ freeBytes: 6 * GIB, totalBytes: 100 * GIB, tenants }, 3).size).toBe(0);
});

test('on a disk that is nearly full, whoever holds more than an equal share takes no more of it', () => {
  expect([...findOverShare({ freeBytes: 4 * GIB, totalBytes: 100 * GIB, tenants }, 3)]).toEqual([loud]);
});

test('a tenant that holds nothing yet has a share too', () => {
  const one = new Map([[loud, 90 * GIB]]);
  const use = { freeBytes: GIB, totalBytes: 100 * GIB, tenants: one };
  expect([...findOverShare(use, 2)]).toEqual([loud]);
  expect(findOverShare(use, 1).size).toBe(0);
});

test('of a large disk 16 GiB are kept', () => {
  const use = { totalBytes: 10_000 * GIB, tenants };
  expect(findOverShare({ ...use, freeBytes: 17 * GIB }, 3).size).toBe(0);
  expect([...findOverShare({ ...use, freeBytes: 15 * GIB }, 3)]).toEqual([loud]);
});

test('what is acknowledged and not stored yet takes nothing of what is kept', () => {
  const use = { freeBytes: 8 * GIB, totalBytes: 100 * GIB, tenants };
  expect(findOverShare({ ...use, waitingBytes: GIB }, 3).size).toBe(0);
  expect([...findOverShare({ ...use, waitingBytes: 2 * GIB }, 3)]).toEqual([loud]);
});
