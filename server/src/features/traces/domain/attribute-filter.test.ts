import { expect, test } from 'vitest';
import { numberOf, parseAttributeFilter } from './attribute-filter.ts';

test.each([
  ['http.route=/api/{id}', { key: 'http.route', test: 'equals', value: '/api/{id}' }],
  ['q=a=b!=c', { key: 'q', test: 'equals', value: 'a=b!=c' }],
  ['q=a>b~c', { key: 'q', test: 'equals', value: 'a>b~c' }],
  ['empty=', { key: 'empty', test: 'equals', value: '' }],
  ['http.status_code==500', { key: 'http.status_code', test: 'equals', value: '500' }],
  ['q===x', { key: 'q', test: 'equals', value: '=x' }],
  ['q==~x', { key: 'q', test: 'equals', value: '~x' }],
  ['db.system!=redis', { key: 'db.system', test: 'differs', value: 'redis' }],
  ['exception.message~timed out', { key: 'exception.message', test: 'contains', value: 'timed out' }],
  ['http.status_code>499', { key: 'http.status_code', test: 'above', value: '499' }],
  ['http.status_code >= 500', { key: 'http.status_code', test: 'atLeast', value: '500' }],
  ['retries<3', { key: 'retries', test: 'below', value: '3' }],
  ['ratio<=-0.5e1', { key: 'ratio', test: 'atMost', value: '-0.5e1' }],
  ['exception.type', { key: 'exception.type', test: 'exists', value: '' }],
  ['!user.id', { key: 'user.id', test: 'absent', value: '' }],
])('reads %s', (text, filter) => {
  expect(parseAttributeFilter(text)).toEqual(filter);
});

test.each(['', '!', '=x', '==x', '!=x', '>5', '~x', 'k~', 'k>', 'k>fast', 'k<1_000', 'k=~a.*', 'k!~a.*', 'k'.repeat(257)])(
  'refuses %j',
  (text) => {
    expect(() => parseAttributeFilter(text)).toThrow(/not a filter/);
  },
);

test.each([
  ['5.', 5],
  ['.5', 0.5],
  ['+5', 5],
  ['1E-3', 0.001],
  [' 5', undefined],
  ['0x10', undefined],
  ['inf', undefined],
  ['1e400', undefined],
  ['', undefined],
])('takes %j for the number %s, as the store does', (text, number) => {
  expect(numberOf(text)).toBe(number);
});
