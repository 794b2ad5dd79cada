import { describe, expect, test } from 'vitest';
import { NO_MEMORY, NOT_NOW, writeFailure } from './store-failure.ts';

const place = { place: 'ClickHouse at http://127.0.0.1:8123' };
const codeOf = (code: unknown) => writeFailure(place, Object.assign(new Error('refused'), { code: String(code) })).code;

describe('a write that ClickHouse refuses', () => {
  test.each([
    ['deadlines', 159, 160],
    ['too much at once', 202, 203, 252, 745],
    ['networks', 209, 210, 279],
    ['tables', 242, 164, 60],
    ['disks', 243, 204, 499],
    ['replicas and Keeper', 225, 285, 319, 999],
    ['stops', 236, 394, 735],
    ['the user that it was given', 497, 516],
  ])('waits: %s', (_, ...codes) => {
    expect(codes.map((code) => codeOf(code))).toEqual(codes.map(() => 'unavailable'));
  });

  test('waits for every code that is listed, and is divided where memory is short', () => {
    expect(new Set(Object.values(NOT_NOW).map(codeOf))).toEqual(new Set(['unavailable']));
    expect(Object.values(NO_MEMORY).map(codeOf)).toEqual(['too_large', 'too_large', 'too_large']);
  });

  test('may be refused for what it holds: a constraint, a value, and whatever is not known', () => {
    for (const code of [469, 6, 27, 33, 53, 117, 131, 349, 1001, 9999]) expect(codeOf(code)).toBe('internal');
  });
});
