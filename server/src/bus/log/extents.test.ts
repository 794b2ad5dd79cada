import { describe, expect, test } from 'vitest';
import { createExtents } from './extents.ts';

const KB = 1024;

describe('where records of a partition lie', () => {
  test('steps over what belongs to others', () => {
    const extents = createExtents();
    extents.add(0, 100 * KB, 0);
    extents.add(100 * KB, 200 * KB, 1);
    extents.add(200 * KB, 300 * KB, 0);
    expect(extents.next(0, 1)).toEqual({ base: 100 * KB, end: 200 * KB });
    expect(extents.next(150 * KB, 0)).toEqual({ base: 200 * KB, end: 300 * KB });
    expect(extents.next(250 * KB, 0)).toEqual({ base: 250 * KB, end: 300 * KB });
    expect(extents.next(200 * KB, 1)).toBeUndefined();
    expect(extents.next(0, 2)).toBeUndefined();
    expect(extents.end).toBe(300 * KB);
  });

  test('takes small neighbours together, so that there are few', () => {
    const extents = createExtents();
    for (let at = 0; at < 60 * KB; at += KB) extents.add(at, at + KB, (at / KB) % 3);
    for (const partition of [0, 1, 2]) expect(extents.next(0, partition)).toEqual({ base: 0, end: 60 * KB });
    expect(extents.next(0, 3)).toBeUndefined();
  });

  test('forgets what lies below, and knows how far it knows', () => {
    const extents = createExtents();
    extents.reach(10 * KB);
    expect(extents.end).toBe(10 * KB);
    extents.add(10 * KB, 90 * KB, 0);
    extents.add(90 * KB, 190 * KB, 1);
    extents.trim(90 * KB);
    expect(extents.next(0, 0)).toBeUndefined();
    expect(extents.next(0, 1)).toEqual({ base: 90 * KB, end: 190 * KB });
    extents.trim(190 * KB);
    expect(extents.end).toBe(190 * KB);
  });
});
