import { expect, it } from 'vitest';
import { readRange } from './read-range.ts';

it.each([
  ['bytes=0-9', { first: 0, last: 9 }],
  ['bytes=5-', { first: 5, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-1000', { first: 0, last: 99 }],
  ['bytes=90-1000', { first: 90, last: 99 }],
  ['bytes=99-99', { first: 99, last: 99 }],
  ['bytes=100-', null],
  ['bytes=-0', null],
  ['bytes=9-5', undefined],
  ['bytes=-', undefined],
  ['bytes=0-1,5-6', undefined],
  ['items=0-1', undefined],
  ['bytes=a-b', undefined],
  [undefined, undefined],
])('reads %j of a hundred bytes', (header, range) => {
  expect(readRange(header, 100)).toEqual(range);
});

it('has nothing of an empty file', () => {
  expect(readRange('bytes=0-', 0)).toBeNull();
  expect(readRange('bytes=-1', 0)).toBeNull();
});
