import { ByteSink } from '@svc/bytes';
import { describe, expect, test } from 'vitest';
import { AnyValueWriter, jsonOf, MAX_VALUE_BYTES } from './any-value.ts';
import { AttributeMap, MAX_ATTRIBUTES } from './attribute-map.ts';
import { WireReader } from './wire-reader.ts';

const readerOf = (bytes: Buffer): WireReader => {
  const reader = new WireReader();
  reader.open(bytes);
  return reader;
};
const field = (tag: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([tag, ...varint(content.length)]), content]);
function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}
const text = (value: string) => field(10, Buffer.from(value));
const int = (value: bigint) => Buffer.from([24, ...varint(value)]);
const double = (value: number) => {
  const bytes = Buffer.alloc(9, 33);
  bytes.writeDoubleLE(value, 1);
  return bytes;
};
const array = (...values: Buffer[]) => field(42, Buffer.concat(values.map((value) => field(10, value))));
const pair = (key: string, value: Buffer) => Buffer.concat([text(key), field(18, value)]);
const map = (...pairs: Buffer[]) => field(50, Buffer.concat(pairs.map((each) => field(10, each))));

function written(value: Buffer, maxBytes?: number): { letter: string; text: string; cuts: number } {
  const sink = new ByteSink(16);
  const writer = new AnyValueWriter(maxBytes);
  const letter = String.fromCharCode(writer.write(readerOf(value), value.length, sink));
  const bytes = sink.view();
  const prefix = bytes.findIndex((byte) => byte < 128) + 1;
  return { letter, text: bytes.toString('utf8', prefix), cuts: writer.cuts };
}

describe('a value of any kind becomes text with its letter', () => {
  test.each([
    ['text', text('é€😀'), 's', 'é€😀'],
    ['true', Buffer.from([16, 1]), 'b', 'true'],
    ['false', Buffer.from([16, 0]), 'b', 'false'],
    ['a small integer', int(7n), 'i', '7'],
    ['an integer of two bytes', int(503n), 'i', '503'],
    ['an integer of four bytes', int(268_435_455n), 'i', '268435455'],
    ['an integer of five bytes', int(268_435_456n), 'i', '268435456'],
    ['zero', int(0n), 'i', '0'],
    ['a double with one decimal', double(12.5), 'd', '12.5'],
    ['a double with two decimals', double(1234.07), 'd', '1234.07'],
    ['a small double with two decimals', double(0.01), 'd', '0.01'],
    ['a sum that is nearly one', double(0.1 + 0.2), 'd', '0.30000000000000004'],
    ['a whole double', double(1_000_000_000), 'd', '1000000000'],
    ['a large double', double(1e21), 'd', '1e+21'],
    ['an integer with something after it', Buffer.concat([int(3n), Buffer.from([16, 1])]), 'b', 'true'],
    ['the greatest integer', int(9_223_372_036_854_775_807n), 'i', '9223372036854775807'],
    ['a negative integer', int(-2n), 'i', '-2'],
    ['a double', double(0.1), 'd', '0.1'],
    ['minus zero', double(-0), 'd', '-0'],
    ['not a number', double(Number.NaN), 'd', 'NaN'],
    ['infinity', double(Number.NEGATIVE_INFINITY), 'd', '-Infinity'],
    ['bytes', field(58, Buffer.from([0, 255, 1])), 'y', 'AP8B'],
    ['nothing', Buffer.alloc(0), 'n', ''],
    ['a field of the future', field(74, Buffer.from('x')), 'n', ''],
    ['two fields, of which the last counts', Buffer.concat([text('a'), int(5n)]), 'i', '5'],
    ['an array', array(text('a"b'), int(1n), array(), Buffer.alloc(0)), 'a', '["a\\"b",1,[],null]'],
    ['an array with a whole double', array(double(2), double(-0), double(1e21), int(2n)), 'a', '[2.0,-0.0,1e+21,2]'],
    [
      'a map whose only key is a marker',
      map(pair('bytesValue', text('x'))),
      'm',
      '{"kvlistValue":[{"key":"bytesValue","value":"x"}]}',
    ],
    [
      'a map with a key twice',
      map(pair('k', int(1n)), pair('k', int(2n))),
      'm',
      '{"kvlistValue":[{"key":"k","value":1},{"key":"k","value":2}]}',
    ],
    ['a map', map(pair('k', map(pair('é', double(1.5)))), pair('e', Buffer.alloc(0))), 'm', '{"k":{"é":1.5},"e":null}'],
  ])('%s', (...[, value, letter, expected]) => {
    expect(written(value)).toEqual({ letter, text: expected, cuts: 0 });
  });

  test('a double has the text that JavaScript gives it', () => {
    for (let i = 1; i < 20_000; i++) {
      const value = i % 2 === 0 ? (i * 7) / 100 : (i * 1.7) / 3;
      expect(written(double(value)).text).toBe(String(value));
    }
  });

  test('JSON has markers for what it has no word for, and all digits of an integer', () => {
    const value = array(
      double(Number.NaN),
      double(Number.POSITIVE_INFINITY),
      int(-9_223_372_036_854_775_808n),
      field(58, Buffer.from('x')),
    );
    expect(jsonOf(readerOf(value), value.length)).toBe(
      '[{"doubleValue":"NaN"},{"doubleValue":"Infinity"},-9223372036854775808,{"bytesValue":"eA=="}]',
    );
  });

  test('one that is nested too deeply for the walker is refused, not followed', () => {
    let value = text('x');
    for (let i = 0; i < 100; i++) value = array(value);
    expect(() => written(value)).toThrow('nested too deeply');
  });

  test('one that ends within a field is refused', () => {
    const value = text('abcdef');
    expect(() => written(value.subarray(0, 4))).toThrow('longer than its message');
  });
});

describe('bounds', () => {
  test('text is cut at the border of a character', () => {
    expect(written(text('ab€€'), 7)).toEqual({ letter: 's', text: 'ab€', cuts: 1 });
    expect(written(text('ab€€'), 8)).toEqual({ letter: 's', text: 'ab€€', cuts: 0 });
    expect(written(text('x'.repeat(MAX_VALUE_BYTES + 1))).text).toHaveLength(MAX_VALUE_BYTES);
  });

  test('bytes that are cut are still base64, JSON that is cut is text', () => {
    expect(written(field(58, Buffer.alloc(10)), 8)).toEqual({ letter: 'y', text: 'AAAAAAAA', cuts: 1 });
    expect(written(array(text('abcdef')), 6)).toEqual({ letter: 's', text: '["abcd', cuts: 1 });
  });

  test('the 129th attribute is left out and the row says so; the next row does not', () => {
    const attributes = new AttributeMap();
    const one = pair('k', text('v'));
    for (let i = 0; i <= MAX_ATTRIBUTES; i++) attributes.add(readerOf(one), one.length);
    expect(attributes.endRow()).toBe(true);
    attributes.add(readerOf(one), one.length);
    expect(attributes.endRow()).toBe(false);
    expect(attributes.keys.length).toBe(MAX_ATTRIBUTES + 2);
  });
});
