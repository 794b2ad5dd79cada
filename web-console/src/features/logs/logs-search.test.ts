import { expect, test } from 'vitest';
import { attributeTest, decodeLogsSearch, queryOf, windowOf, without } from './logs-search.ts';

test('keeps what it knows of a URL and drops the rest', () => {
  expect(decodeLogsSearch({ text: 'disk full', service: 'pay', level: 'warn', range: '6h', x: '1' })).toEqual({
    text: 'disk full',
    service: ['pay'],
    level: 'warn',
    range: '6h',
  });
  expect(decodeLogsSearch({ level: 'loud', range: '99d', trace: 'xyz', live: 'maybe' })).toEqual({});
  expect(decodeLogsSearch({ level: 'toString', attribute: ['=x', 'a b=c'] })).toEqual({ attribute: ['a b=c'] });
  expect(decodeLogsSearch({ attribute: '=x' })).toEqual({});
  expect(decodeLogsSearch({ from: '2026-11-21T10:00:00Z', to: '2026-11-21T09:00:00Z' })).toEqual({});
});

test('asks the server in its own words', () => {
  const trace = 'AB'.repeat(16);
  expect(queryOf(decodeLogsSearch({ level: 'error', attribute: ['a=b', '!c'], trace }))).toEqual({
    severity: 17,
    attribute: ['a=b', '!c'],
    trace_id: trace.toLowerCase(),
  });
});

test('a window of the URL wins over the range', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  expect(windowOf({ range: '15m' }, now)).toEqual({ from: '2026-11-21T11:45:00.000Z', to: '2026-11-21T12:00:00.000Z' });
  const search = { range: '15m' as const, from: '2026-11-20T00:00:00Z', to: '2026-11-20T01:00:00Z' };
  expect(windowOf(search, now)).toEqual({ from: search.from, to: search.to });
});

test('makes a test of a click, unless the key cannot be written as one', () => {
  expect(attributeTest('http.route', '/a=b', false)).toBe('http.route=/a=b');
  expect(attributeTest('http.route', '/a', true)).toBe('http.route!=/a');
  expect(attributeTest('odd=key', 'x', false)).toBeUndefined();
  expect(without(['a'], 'a')).toBeUndefined();
});
