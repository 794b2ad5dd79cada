import { expect, test } from 'vitest';
import { networkOf, siteOf } from './network-of.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['::ffff:7f00:1', '127.0.0.1'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:c000:0207', '192.0.2.7'],
  ['0000:0000:0000:0000:0000:ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7%eth0', '192.0.2.7'],
  ['64:ff9b::192.0.2.7', '192.0.2.7'],
  ['64:ff9b::c000:207', '192.0.2.7'],
  ['64:ff9b:0:0:0:0:c000:207', '192.0.2.7'],
  // Local use of NAT64 puts the address where its operator likes.
  ['64:ff9b:1::c000:207', '64:ff9b:1:0::/64'],
  // 6to4: whoever has an IPv4 address has all of the /48 behind it.
  ['2002:c000:207::1', '192.0.2.7'],
  ['2002:c000:207:ffff:1:2:3:4', '192.0.2.7'],
  // Teredo: the client's IPv4 address stands at the end, inverted; RFC 4380's own example.
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '192.0.2.45'],
  ['2001:0000:4136:e378:8000:63bf:3fff:fdd2', '192.0.2.45'],
  ['2001:1::1', '2001:1:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::', '1:0:0:0::/64'],
  ['not an address', 'not an address'],
  ['', ''],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['2001:0DB8:0000:0001:aaaa:bbbb:cccc:dddd', '2001:db8:0:1::/64'],
  ['2001:db8:0:1::2', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s is counted as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ['192.0.2.7', '192.0.2'],
  ['::ffff:c000:207', '192.0.2'],
  ['2001:db8:1:2::7', '2001:db8:1'],
])('%s is of the site %s', (address, site) => {
  expect(siteOf(networkOf(address))).toBe(site);
});
