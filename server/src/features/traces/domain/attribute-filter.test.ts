import { expect, test } from 'vitest';
import { parseAttributeFilter } from './attribute-filter.ts';

test.each([
  ['http.route=/api/{id}', { key: 'http.route', test: 'equals', value: '/api/{id}' }],
  ['q=a=b!=c', { key: 'q', test: 'equals', value: 'a=b!=c' }],
  ['empty=', { key: 'empty', test: 'equals', value: '' }],
  ['db.system!=redis', { key: 'db.system', test: 'differs', value: 'redis' }],
  ['exception.type', { key: 'exception.type', test: 'exists', value: '' }],
  ['!user.id', { key: 'user.id', test: 'absent', value: '' }],
])('reads %s', (text, filter) => {
  expect(parseAttributeFilter(text)).toEqual(filter);
});

test.each(['', '!', '=x', '!=x', 'k'.repeat(257)])('refuses %j', (text) => {
  expect(() => parseAttributeFilter(text)).toThrow(/no filter/);
});
