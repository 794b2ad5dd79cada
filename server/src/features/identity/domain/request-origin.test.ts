import { expect, test } from 'vitest';
import { mayChangeState } from './request-origin.ts';

const post = { method: 'POST', host: 'localhost:8443', origin: undefined, secFetchSite: undefined };

test('reading is free, changing state is for our own pages', () => {
  expect(mayChangeState({ ...post, method: 'GET' })).toBe(true);
  expect(mayChangeState({ ...post, secFetchSite: 'same-origin' })).toBe(true);
  expect(mayChangeState({ ...post, origin: 'https://localhost:8443' })).toBe(true);
});

test.each([
  {},
  { secFetchSite: 'cross-site', origin: 'https://localhost:8443' },
  { secFetchSite: 'same-site' },
  { secFetchSite: 'none' },
  { origin: 'https://evil.test' },
  { origin: 'https://localhost:9443' },
  { origin: 'http://localhost:8443' },
  { origin: 'null' },
])('a request that is not shown to be ours is refused: %o', (signs) => {
  expect(mayChangeState({ ...post, ...signs })).toBe(false);
});
