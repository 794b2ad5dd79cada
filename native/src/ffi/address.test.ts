import { describe, expect, it } from 'vitest';
import { addressBytes, addressText, familyOf, splitZone } from './address.ts';
import { decodeSockaddr, encodeSockaddr } from './sockaddr.ts';

describe('addresses', () => {
  it.each([
    ['192.0.2.1', 'c0000201', '192.0.2.1'],
    ['::', '00000000000000000000000000000000', '::'],
    ['::1', '00000000000000000000000000000001', '::1'],
    ['2001:DB8::', '20010db8000000000000000000000000', '2001:db8::'],
    ['2001:db8:1:2:3:4:5:6', '20010db8000100020003000400050006', '2001:db8:1:2:3:4:5:6'],
    ['fe80::1%eth0', 'fe800000000000000000000000000001', 'fe80::1'],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201', '::ffff:192.0.2.1'],
    ['64:ff9b::198.51.100.7', '0064ff9b0000000000000000c6336407', '64:ff9b::c633:6407'],
  ])('%s goes to bytes and back', (given, hex, canonical) => {
    expect(addressBytes(given).toString('hex')).toBe(hex);
    expect(addressText(addressBytes(given))).toBe(canonical);
  });

  it.each(['', 'example.test', '1.2.3', '1.2.3.4.5', '::g', '1.2.3.4%eth0', ':::'])('%o is refused', (text) => {
    expect(() => familyOf(text)).toThrow(RangeError);
    expect(() => addressBytes(text)).toThrow(RangeError);
  });

  it('split off the zone', () => {
    expect(splitZone('fe80::1%wlan0')).toEqual({ address: 'fe80::1', zone: 'wlan0' });
    expect(splitZone('fe80::1')).toEqual({ address: 'fe80::1', zone: undefined });
  });

  it('have no text in any other length', () => {
    for (const length of [0, 3, 5, 15, 17]) expect(addressText(Buffer.alloc(length))).toBeUndefined();
  });
});

describe('sockaddr', () => {
  it.each([
    { address: '198.51.100.7', port: 33_440 },
    { address: '2001:db8::7', port: 53 },
  ])('$address goes there and back', (endpoint) => {
    expect(decodeSockaddr(encodeSockaddr(endpoint), 0)).toEqual(endpoint);
  });

  it('keeps the scope of a link-local address', () => {
    expect(encodeSockaddr({ address: 'fe80::1', port: 0, scope: 5 }).readUInt32LE(24)).toBe(5);
  });

  it('is undefined where it is cut short or of another family', () => {
    const bytes = encodeSockaddr({ address: '2001:db8::7', port: 53 });
    for (let length = 0; length < 24; length += 1) expect(decodeSockaddr(bytes.subarray(0, length), 0)).toBeUndefined();
    expect(decodeSockaddr(bytes, 12)).toBeUndefined();
    expect(decodeSockaddr(Buffer.alloc(28), 0)).toBeUndefined();
  });
});
