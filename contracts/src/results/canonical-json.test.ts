import { expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

it('gives one text for equal documents, however they were built', () => {
  const one = { b: [{ y: 1, x: null }, 2], a: 'ä', c: undefined };
  const other = { a: 'ä', b: [{ x: null, y: 1 }, 2] };
  expect(canonicalJson(one)).toBe('{"a":"ä","b":[{"x":null,"y":1},2]}');
  expect(canonicalJson(other)).toBe(canonicalJson(one));
  expect(canonicalJson([2, 1])).not.toBe(canonicalJson([1, 2]));
});

it('keeps a member that is named like the prototype', () => {
  expect(canonicalJson(JSON.parse('{"__proto__":{"b":1,"a":2},"a":1}'))).toBe('{"__proto__":{"a":2,"b":1},"a":1}');
});
