import { expect, it } from 'vitest';
import { createRedactor, cutUrl, isCutHeader } from './redact.ts';

const VALUE = `p@ss "w/ö'rd<&+ 7`;
const redactor = createRedactor();
redactor.add('door', VALUE);
const b64 = (text: string): string => Buffer.from(text).toString('base64');

it.each([
  ['itself', VALUE],
  ['percent escapes', encodeURIComponent(VALUE)],
  ['a form', new URLSearchParams({ x: VALUE }).toString()],
  ['JSON', JSON.stringify({ x: VALUE })],
  [
    'HTML',
    VALUE.replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
  ],
  ['base64', b64(VALUE)],
  ['base64 after one byte', b64(`x${VALUE}y`)],
  ['base64 after two bytes', b64(`xx${VALUE}`)],
  ['base64url', Buffer.from(`user:${VALUE}`).toString('base64url')],
  ['hex', Buffer.from(VALUE).toString('hex')],
  ['JSON that escapes what is not ASCII', JSON.stringify({ x: VALUE }).replaceAll('/', '\\/').replace('ö', '\\u00f6')],
  ['JSON that escapes all', [...VALUE].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')],
])('takes a secret out that comes back as %s', (_, text) => {
  const clean = redactor.redact(`before ${text} after`);
  expect(clean).toContain('[secret door]');
  expect(clean).not.toContain(text);
});

it('takes each line out of a secret of several lines, and the longest of two first', () => {
  const several = createRedactor();
  several.add('short', 'abcdefgh');
  several.add('long', 'abcdefghijkl');
  several.add('pem', 'first line here\nsecond line here\n');
  expect(several.redact('abcdefghijkl abcdefgh: second line here')).toBe('[secret long] [secret short]: [secret pem]');
});

it('takes so much off the end of a text that was cut as may be the beginning of a secret, whatever stands there', () => {
  const short = createRedactor();
  short.add('door', 'abcdefgh');
  const tail = 'x'.repeat(50);
  const longest = 6 * 'abcdefgh'.length;
  for (const end of ['abcd', 'zzzz', 'abcdefg'])
    expect(short.redactCut(`welcome${tail}${end}`)).toBe(`welcome${tail}${end}`.slice(0, -longest));
  expect(short.redactCut(`abcdefgh${tail}`)).toContain('[secret door]');
  expect(createRedactor().redactCut('abcd')).toBe('abcd');
});

it('cuts credentials and tokens out of URLs, and knows headers that carry them', () => {
  expect(cutUrl('https://me:pw@shop.example/a?page=2&access_token=abc&code=xyz#id_token=q')).toBe(
    'https://shop.example/a?page=2&access_token=[cut]&code=[cut]#id_token=[cut]',
  );
  for (const name of ['Set-Cookie', 'authorization', 'X-Auth-Token', 'x-api-key']) expect(isCutHeader(name)).toBe(true);
  expect(isCutHeader('content-type')).toBe(false);
});

it('takes a secret again without work, and refuses one of more lines than can be looked for', () => {
  const many = createRedactor();
  many.add('one', 'a value of one line');
  const sinceMs = performance.now();
  for (let i = 0; i < 100_000; i++) many.add('one', 'a value of one line');
  expect(performance.now() - sinceMs).toBeLessThan(1000);
  const lines = Array.from({ length: 6000 }, (_, i) => `line ${i.toString().padStart(5, '0')}`).join('\n');
  expect(() => many.add('book', lines)).toThrow(/book has too many lines/);
});
