import { describe, expect, it } from 'vitest';
import { classifyAddress, sharesLink } from './address-class.ts';

describe('the class of an address', () => {
  it.each([
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.1', 'public'],
    ['192.168.1.1', 'private'],
    ['192.169.0.1', 'public'],
    ['169.254.1.1', 'private'],
    ['100.63.255.255', 'public'],
    ['100.64.0.1', 'carrier'],
    ['100.127.255.255', 'carrier'],
    ['100.128.0.1', 'public'],
    ['198.51.100.2', 'public'],
    ['fd77::1', 'private'],
    ['fc00::1', 'private'],
    ['fe80::1%eth0', 'private'],
    ['2001:db8::1', 'public'],
    ['::ffff:10.0.0.1', 'private'],
  ])('%s is %s', (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  });
});

describe('neighbours', () => {
  it('share a /64 of IPv6 and nothing in IPv4', () => {
    expect(sharesLink('2001:db8:1:2::1', '2001:db8:1:2:aaaa::5')).toBe(true);
    expect(sharesLink('2001:db8:1:2::1', '2001:db8:1:3::1')).toBe(false);
    expect(sharesLink('fe80::1%eth0', 'fe80::2')).toBe(true);
    expect(sharesLink('192.168.1.1', '192.168.1.2')).toBe(false);
    expect(sharesLink('2001:db8::1', '')).toBe(false);
  });
});
