import { expect, test } from 'vitest';
import { bindParams } from './bind-params.ts';

test('values become literals of their types', () => {
  expect(bindParams('a = {a:String} AND b < { b : UInt64 } AND has({c:Array(UInt64)}, d)', { a: 'x', b: 5, c: [1n, '2'] })).toBe(
    "a = 'x' AND b < CAST('5' AS UInt64) AND has(CAST('[1,2]' AS Array(UInt64)), d)",
  );
  expect(bindParams('{w:Array(String)}', { w: ["it's", 'b'] })).toBe("CAST(['it\\'s', 'b'] AS Array(String))");
  expect(bindParams('{none:Array(String)}', { none: [] })).toBe('CAST([] AS Array(String))');
});

test('a value ends no literal, begins no line and is no placeholder', () => {
  const hostile = "'; DROP TABLE spans; --\\'\n\n{b:String}\0$& é😀";
  expect(bindParams('{a:String} {b:String}', { a: hostile, b: 'two' })).toBe(
    "'\\'; DROP TABLE spans; --\\\\\\'\\x0a\\x0a{b:String}\\x00$& é😀' 'two'",
  );
  expect(bindParams('{n:UInt64}', { n: "1' AS String), 'x" })).toBe("CAST('1\\' AS String), \\'x' AS UInt64)");
});

test('a placeholder without a value is refused, also one named as what every object has', () => {
  expect(() => bindParams('{a:String}', {})).toThrow('lacks a');
  expect(() => bindParams('{constructor:String}', {})).toThrow('lacks constructor');
});
