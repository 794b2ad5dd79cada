import { expect, test } from 'vitest';
import { ByteSink } from '../byte-sink.ts';
import type { Block } from './block.ts';
import { decodeAnswer } from './decode-answer.ts';
import { encodeBlock } from './encode-block.ts';

const block = (ids: readonly bigint[], values: readonly number[], words: readonly string[]): Block => ({
  table: 'answers',
  rows: ids.length,
  columns: [
    { name: 'id', type: 'UInt64', values: ids },
    { name: 'a name of another length', type: 'Float64', values },
    { name: 'word', type: 'LowCardinality(String)', values: words },
  ],
});

const encode = (...blocks: readonly Block[]): Buffer =>
  Buffer.concat(
    blocks.map((each) => {
      const sink = new ByteSink();
      encodeBlock(sink, each);
      return Buffer.from(sink.view());
    }),
  );

const FIRST = block([1n, 2n ** 64n - 1n], [1.5, Number.NEGATIVE_INFINITY], ['a', 'b']);
const SECOND = block([7n], [-0], ['a']);

test('blocks follow one another, wherever their values lie', () => {
  const found = decodeAnswer(encode(FIRST, SECOND));
  expect(found.map(({ rows }) => rows)).toEqual([2, 1]);
  expect(found.map(({ columns: [ids] }) => ids)).toEqual([new BigUint64Array([1n, 2n ** 64n - 1n]), new BigUint64Array([7n])]);
  expect(found.map(({ columns: [, values] }) => values)).toEqual([
    new Float64Array([1.5, Number.NEGATIVE_INFINITY]),
    new Float64Array([-0]),
  ]);
  const words = found.flatMap(({ rows, columns }) =>
    Array.from({ length: rows }, (_, row) => (columns[2] as { at(row: number): string }).at(row)),
  );
  expect(words).toEqual(['a', 'b', 'a']);
});

test('an answer without rows has no blocks', () => {
  expect(decodeAnswer(Buffer.alloc(0))).toEqual([]);
  // As ClickHouse gives it over HTTP: a head of names and types.
  const head = Buffer.from([1, 0, 2, ...Buffer.from('id'), 6, ...Buffer.from('UInt64')]);
  expect(decodeAnswer(head)).toEqual([]);
});

test('bytes that end early, and types that are none of ours, are refused', () => {
  const bytes = encode(FIRST);
  for (const length of [1, 5, 20, bytes.length - 1]) expect(() => decodeAnswer(bytes.subarray(0, length))).toThrow(RangeError);
  const other = Buffer.from([1, 1, 2, ...Buffer.from('id'), 4, ...Buffer.from('IPv4'), 0, 0, 0, 0]);
  expect(() => decodeAnswer(other)).toThrow(TypeError);
});
