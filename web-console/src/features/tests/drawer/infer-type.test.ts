import { checkTarget } from '@svc/contracts/tests/target';
import { TEST_TYPES } from '@svc/contracts/tests/test-types';
import { expect, it } from 'vitest';
import { fitTarget, inferType, suggestName } from './infer-type.ts';

it.each([
  ['https://shop.example/returns', 'https'],
  ['http://10.0.0.1', 'http'],
  ['shop.example/returns', 'https'],
  ['shop.example', 'icmp'],
  ['10.64.0.1', 'icmp'],
  ['2001:db8::1', 'icmp'],
  ['mail.example:465', 'tcp'],
  ['[2001:db8::1]:8443', 'tcp'],
  ['10.64.0.53:53', 'udp'],
  ['dns://shop.example', 'dns'],
  ['', undefined],
  ['ftp://files.example', undefined],
] as const)('takes %s for %s', (text, type) => {
  expect(inferType(text)).toBe(type);
});

it.each(['https://shop.example/returns', 'shop.example', 'mail.example:465', '10.64.0.53:53', 'tcp://mail.example:465'])(
  'makes of %s a target that each type takes',
  (text) => {
    for (const type of TEST_TYPES) expect([type, checkTarget(type, fitTarget(type, text))]).toEqual([type, undefined]);
  },
);

it('keeps the port and the path where the type has one', () => {
  expect(fitTarget('tcp', 'https://shop.example/a')).toBe('shop.example:443');
  expect(fitTarget('tcp', 'http://shop.example:8080/a')).toBe('shop.example:8080');
  expect(fitTarget('https', 'http://shop.example/a')).toBe('https://shop.example/a');
  expect(fitTarget('icmp', 'https://[2001:db8::1]/')).toBe('2001:db8::1');
  expect(fitTarget('tcp', '2001:db8::1')).toBe('[2001:db8::1]:443');
});

it('makes no other protocol of one that no test speaks', () => {
  for (const type of TEST_TYPES) {
    expect(fitTarget(type, 'ftp://files.example/a')).toBe('ftp://files.example/a');
    expect([type, checkTarget(type, fitTarget(type, 'ftp://files.example/a'))]).toEqual([type, expect.any(String)]);
  }
});

it('suggests a name from host and path', () => {
  expect(suggestName('https://shop.example/api/checkout')).toBe('shop.example checkout');
  expect(suggestName('mail.example:465')).toBe('mail.example:465');
  expect(suggestName('')).toBe('');
});
