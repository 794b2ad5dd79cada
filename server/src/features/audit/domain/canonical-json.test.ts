import { expect, test } from 'vitest';
import { toCanonicalJson } from './canonical-json.ts';

test('equal values give equal text, whatever the order of their keys', () => {
  const one = toCanonicalJson({ b: 1, a: { d: [true, null, 'x'], c: -0.5 } });
  expect(one).toBe('{"a":{"c":-0.5,"d":[true,null,"x"]},"b":1}');
  expect(toCanonicalJson({ a: { c: -0.5, d: [true, null, 'x'] }, b: 1 })).toBe(one);
});

test('undefined fields are left out and control characters are escaped', () => {
  expect(toCanonicalJson({ a: undefined, b: 'line\nbreak "quoted"' })).toBe('{"b":"line\\nbreak \\"quoted\\""}');
});

test('a number that JSON cannot say is refused', () => {
  expect(() => toCanonicalJson({ a: Number.NaN })).toThrow(RangeError);
});
