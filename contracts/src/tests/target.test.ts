import { expect, it } from 'vitest';
import { canonicalHost } from './target.ts';

it.each([
  ['https://Shop.example:8443/cart?x=1', 'shop.example'],
  ['SHOP.example.', 'shop.example'],
  ['shop.example:443', 'shop.example'],
  ['http://shop.example./', 'shop.example'],
  ['http://bücher.example/', 'xn--bcher-kva.example'],
  ['Bücher.example', 'xn--bcher-kva.example'],
  ['bücher.example:8080', 'xn--bcher-kva.example'],
  ['https://[2001:DB8::1]:8443/', '2001:db8::1'],
  ['[2001:db8:0:0::1]:53', '2001:db8::1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['198.51.100.7', '198.51.100.7'],
  ['no host at all', 'no host at all'],
  ['', ''],
])('%s is the host %s', (target, host) => {
  expect(canonicalHost(target)).toBe(host);
});
