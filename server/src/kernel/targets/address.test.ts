import { expect, test } from 'vitest';
import { covers, formatAddress, formatPrefix, isInManyPlaces, parseAddress, parsePrefix } from './address.ts';

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:db8::1%eth0', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['::', '::'],
  ['1::', '1::'],
  ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
])('%s is the address %s', (text, expected) => {
  const address = parseAddress(text);
  expect(address && formatAddress(address)).toBe(expected);
});

test.each(['', 'shop.example', '1.2.3', '1.2.3.256', '1::2::3', '1:2:3:4:5:6:7:8:9', ':1', '::1.2.3', 'fffff::', '1:2'])(
  '%j is no address',
  (text) => {
    expect(parseAddress(text)).toBeUndefined();
  },
);

test.each([
  ['10.64.35.7/20', '10.64.32.0/20'],
  ['203.0.113.9/32', '203.0.113.9/32'],
  ['::ffff:10.64.35.7/116', '10.64.32.0/20'],
  ['2001:db8:1:2:3::/48', '2001:db8:1::/48'],
])('%s is the prefix %s', (text, expected) => {
  const prefix = parsePrefix(text);
  expect(prefix && formatPrefix(prefix)).toBe(expected);
});

test.each(['0.0.0.0/0', '10.0.0.0/7', '::/0', '2001::/15', '10.0.0.0/33', '10.0.0.0', 'x/8', '10.0.0.0/-1', '10.0.0.0/8/8'])(
  '%s covers nothing that may be told apart by it',
  (text) => {
    expect(parsePrefix(text)).toBeUndefined();
  },
);

const coversText = (prefix: string, other: string): boolean => {
  const [outer, inner] = [parsePrefix(prefix), parsePrefix(other) ?? parseAddress(other)];
  if (!outer || !inner) throw new Error('no address');
  return covers(outer, inner);
};

test.each([
  ['10.64.32.0/20', '10.64.47.255', true],
  ['10.64.32.0/20', '10.64.48.0', false],
  ['10.64.32.0/20', '::ffff:10.64.32.1', true],
  ['10.64.32.0/20', '10.64.33.0/24', true],
  ['10.64.33.0/24', '10.64.32.0/20', false],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '32.1.13.184', false],
])('%s covers %s: %s', (prefix, other, expected) => {
  expect(coversText(prefix, other)).toBe(expected);
});

test.each([
  ['10.1.2.3', true],
  ['172.32.0.1', false],
  ['192.168.1.1', true],
  ['100.64.0.1', true],
  ['fe80::1', true],
  ['fd12::1', true],
  ['2001:db8::1', false],
  ['203.0.113.1', false],
])('%s is in many places: %s', (text, expected) => {
  const address = parseAddress(text);
  expect(address && isInManyPlaces(address)).toBe(expected);
});
