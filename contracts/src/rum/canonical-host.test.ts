import { describe, expect, it } from 'vitest';
import { canonicalHost, canonicalPattern, hostOfOrigin, hostOfTarget, isHostAllowed } from './canonical-host.ts';

describe('a host', () => {
  it.each([
    ['shop.example', 'shop.example'],
    ['SHOP.Example.', 'shop.example'],
    ['localhost', 'localhost'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['[2001:DB8:0::1]', '2001:db8::1'],
  ])('%s is %s', (text, host) => expect(canonicalHost(text)).toBe(host));

  it.each([
    ...['', '.', '-a', 'a-', 'a..b', 'a b', 'shop.example:443', 'https://shop.example', 'shop.example/', 'ann@shop.example'],
    ...['shop.example?x', 'shop%2eexample', '1.2.3', '0x7f.1', 'a_b', 'x'.repeat(300), '[::1', '::1', 'a\u0000b'],
  ])('%j is none', (text) => {
    const found = canonicalHost(text);
    // Numbers alone are an address however they are written: then it is that address.
    if (/^[\dx.a-f]+$/.test(text) && found !== undefined) expect(found).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    else expect(found).toBeUndefined();
  });

  it('of a target is that of its URL, or what stands before its port', () => {
    expect(hostOfTarget('https://Shop.example:8443/cart?x')).toBe('shop.example');
    expect(hostOfTarget('shop.example:443')).toBe('shop.example');
    expect(hostOfTarget('shop.example')).toBe('shop.example');
    expect(hostOfTarget('not a host')).toBeUndefined();
  });
});

describe('hosts of an app', () => {
  it('allow themselves, and any below one with a star', () => {
    const hosts = ['shop.example', '*.stores.example'];
    expect(['shop.example', 'a.stores.example', 'a.b.stores.example'].map((host) => isHostAllowed(hosts, host))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['a.shop.example', 'stores.example', 'xstores.example', undefined].map((host) => isHostAllowed(hosts, host))).toEqual([
      ...[false, false, false, false],
    ]);
    expect(isHostAllowed([], undefined)).toBe(true);
  });

  it('are written in one way', () => {
    expect(canonicalPattern(' *.Shop.Example. ')).toBe('*.shop.example');
    expect(canonicalPattern('*')).toBeUndefined();
    expect(canonicalPattern('*.*.example')).toBeUndefined();
  });

  it('are those of an Origin, and of none where it says none', () => {
    expect(hostOfOrigin('https://shop.example:8443')).toBe('shop.example');
    expect(hostOfOrigin('null')).toBeUndefined();
  });
});
