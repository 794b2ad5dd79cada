import { expect, it } from 'vitest';
import { createTargetCheck } from './check-target.ts';

const check = createTargetCheck({
  allow: ['10.1.2.3', 'lab.localhost'],
  forbiddenHosts: ['db.internal.example'],
  forbiddenNames: [],
});

it.each([
  '127.0.0.1',
  '169.254.169.254',
  '::1',
  '::ffff:127.0.0.1',
  'localhost',
  'a.localhost',
  'db.internal.example',
  '224.0.0.1',
])('refuses %s', (host) => {
  expect(check(host)).toMatch(/may not reach it/);
});

it.each(['shop.example', '10.0.0.5', '192.0.2.7', '2001:db8::1', 'lab.localhost'])('knows nothing against %s', (host) => {
  expect(check(host)).toBeUndefined();
});
