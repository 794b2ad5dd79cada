import { expect, it } from 'vitest';
import { createDownloads } from './downloads.ts';

it('sends sixteen files to one address and 256 in all, and takes places back once', () => {
  const downloads = createDownloads();
  const own = Array.from({ length: 16 }, () => downloads.begin('192.0.2.1'));
  expect(() => downloads.begin('192.0.2.1')).toThrow('Too many downloads');
  own[0]?.();
  own[0]?.();
  expect(downloads.open()).toBe(15);
  own[0] = downloads.begin('192.0.2.1');
  const others = Array.from({ length: 240 }, (_, n) => downloads.begin(`198.51.100.${n}`));
  expect(() => downloads.begin('203.0.113.1')).toThrow('Too many downloads');
  for (const end of [...own, ...others]) end();
  expect(downloads.open()).toBe(0);
});

it('counts the addresses of one IPv6 network as one', () => {
  const downloads = createDownloads();
  for (let n = 0; n < 16; n += 1) downloads.begin(`2001:db8::${n.toString(16)}`);
  expect(() => downloads.begin('2001:db8::ffff')).toThrow('Too many downloads');
});
