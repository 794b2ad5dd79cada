import { describe, expect, test } from 'vitest';
import { faultOfAttribute, joinTyped, readAttribute, writeAttribute } from './attribute-text.ts';

test.each([
  ['a=b=c', { key: 'a', operator: '=', value: 'b=c' }],
  ['a=b>c', { key: 'a', operator: '=', value: 'b>c' }],
  ['a!=b', { key: 'a', operator: '≠', value: 'b' }],
  ['a~b', { key: 'a', operator: 'contains', value: 'b' }],
  ['a>5', { key: 'a', operator: '>', value: '5' }],
  ['a>=5', { key: 'a', operator: '≥', value: '5' }],
  ['a<5', { key: 'a', operator: '<', value: '5' }],
  ['a<=5', { key: 'a', operator: '≤', value: '5' }],
  ['a', { key: 'a', operator: 'exists', value: '' }],
  ['!a', { key: 'a', operator: 'is missing', value: '' }],
  ['a==~b', { key: 'a', operator: '=', value: '~b' }],
  ['a===b', { key: 'a', operator: '=', value: '=b' }],
] as const)('reads the filter %s and writes it the same', (text, parts) => {
  expect(readAttribute(text)).toEqual(parts);
  expect(writeAttribute(parts)).toBe(text);
});

test('knows no patterns', () => {
  expect(readAttribute('a=~b.*')).toBeUndefined();
  expect(faultOfAttribute(readAttribute('a!~b.*'))).toMatch(/contains/);
});

describe('what is typed as a name', () => {
  const chosen = { operator: '=', value: 'chosen' } as const;
  test.each([
    ['http.status_code=500', 'http.status_code=500'],
    ['http.status_code==500', 'http.status_code=500'],
    ['http.status_code = 500', 'http.status_code=500'],
    ['http.status_code >= 500', 'http.status_code>=500'],
    ['exception.message ~ timed out', 'exception.message~timed out'],
    ['http.status_code != 200', 'http.status_code!=200'],
    ['!user.id', '!user.id'],
    ['http.route', 'http.route=chosen'],
  ])('%j asks for %s', (key, text) => {
    const parts = joinTyped({ key, ...chosen });
    expect(parts && writeAttribute(parts)).toBe(text);
  });
});

test.each([
  ['', 'Name an attribute'],
  ['>5', 'Name an attribute'],
  ['a>b', 'Enter a number'],
  ['a<', 'Enter a number'],
  ['a~', 'Enter the part to find'],
  ['a>=1e3', undefined],
  ['a=', undefined],
])('of %j says %j', (text, fault) => {
  expect(faultOfAttribute(readAttribute(text))).toBe(fault);
});
