import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readResource } from './read-resource.ts';
import { encodeConforming } from './test-conforming.ts';

const value = (key: string, given: object) => ({ key, value: given });
const request = (...attributes: object[][]) =>
  encodeConforming('logs', {
    resource_logs: attributes.map((some) => ({
      resource: { attributes: some },
      scope_logs: [{ log_records: [{ body: { string_value: 'secret' } }] }],
    })),
  });

describe('the resource of a refused request', () => {
  it('is that at the index, every kind of value as text, and nothing else of the request', () => {
    const body = request(
      [value('service.name', { string_value: 'first' })],
      [
        value('service.name', { string_value: 'second' }),
        value('ok', { bool_value: true }),
        value('n', { int_value: -5 }),
        value('x', { double_value: 0.5 }),
        value('list', { array_value: { values: [{ string_value: 'a' }] } }),
      ],
    );
    expect(readResource(body, 0)).toEqual({ 'service.name': 'first' });
    expect(readResource(body, 1)).toEqual({ 'service.name': 'second', ok: 'true', n: '-5', x: '0.5', list: '(nested)' });
    expect(readResource(body, 2)).toBeUndefined();
  });

  it('is bounded, and safe to keep as JSON and to show', () => {
    const many = Array.from({ length: 100 }, (_, i) => value(`k${i}`, { string_value: '😀'.repeat(1000) }));
    const read = readResource(request(many), 0) ?? {};
    expect(Object.keys(read)).toHaveLength(32);
    expect(Object.values(read)[0]?.length).toBeLessThanOrEqual(256);
    const odd = readResource(
      request([value('a\0b', { string_value: 'c\u001b[31m' }), value('__proto__', { string_value: 'x' })]),
      0,
    );
    expect(Object.entries(odd ?? {})).toEqual([
      ['a\uFFFDb', 'c\uFFFD[31m'],
      ['__proto__', 'x'],
    ]);
    expect(JSON.stringify(odd)).not.toMatch(/\\u0000/);
  });

  it('never throws, whatever is cut or noise', () => {
    const body = request([value('service.name', { string_value: 'shop' })]);
    for (let length = 0; length < body.length; length += 1) readResource(body.subarray(0, length), 0);
    for (let round = 0; round < 2000; round += 1) readResource(randomBytes(round % 64), round % 3);
    expect(readResource(Buffer.alloc(0), 0)).toBeUndefined();
  });
});
