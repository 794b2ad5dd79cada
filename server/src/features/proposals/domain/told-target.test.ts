import { expect, it } from 'vitest';
import { toldTarget } from './told-target.ts';

it.each([
  ['https://shop.example/a?token=x#y', 'https://shop.example/a'],
  ['https://user:word@shop.example:8443/', 'https://shop.example:8443/'],
  ['mail.example:465', 'mail.example:465'],
  ['2001:db8::1', '2001:db8::1'],
])('tells %s as %s', (target, told) => {
  expect(toldTarget(target)).toBe(told);
});
