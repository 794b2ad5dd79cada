import { expect, test } from 'vitest';
import { safeReturnPath } from './return-path.ts';

const PUBLIC_URL = 'https://console.test:8443';
const returnPath = (text: string | undefined) => safeReturnPath(text, PUBLIC_URL);

test('a return path of this console stays as it is', () => {
  for (const good of [
    '/',
    '/fleet?sort=-verdict#top',
    '/?a=1',
    '/a//b',
    '/traces?query=a%20%2F%2Fb&to=https://evil.test/',
    '/@evil.test',
    '/:443',
    '/%5Cevil.test',
    '/%09/evil.test',
    '/%2F/evil.test',
    '/authority',
  ]) {
    expect(returnPath(good)).toBe(good);
  }
  expect(returnPath('/a/../fleet')).toBe('/fleet');
  expect(returnPath('/ä')).toBe('/%C3%A4');
});

const ELSEWHERE = [
  undefined,
  '',
  'fleet',
  '?a=1',
  '#a',
  '@evil.test',
  '.evil.test',
  '//evil.test',
  '///evil.test',
  '////evil.test',
  '/\\evil.test',
  '/\\/evil.test',
  '/\\\\evil.test',
  '\\\\evil.test',
  '\\/evil.test',
  '/a\\b',
  '/\t/evil.test',
  '/\n/evil.test',
  '/\r/evil.test',
  '\t//evil.test',
  ' //evil.test',
  '/\u0000/evil.test',
  '/\u0085/evil.test',
  '/.//evil.test',
  '/./\\evil.test',
  '/..//evil.test',
  '/%2e//evil.test',
  '/%2E//evil.test',
  '/%2e%2e//evil.test',
  '/.%2e//evil.test',
  '/%2e.//evil.test',
  '/a/..//evil.test',
  '/a/%2e%2e//evil.test',
  '/a/b/../..//evil.test',
  '/././/evil.test',
  '/.//evil.test/..',
  '/.//@evil.test',
  '/.//user:secret@evil.test',
  '/.///evil.test',
  'https:evil.test',
  'https:/evil.test',
  'https://evil.test',
  'https://console.test:8443.evil.test/',
  'https://console.test:8443@evil.test/',
  'HTTPS://evil.test',
  'http:console.test',
  'javascript:alert(1)',
  'data:text/html,x',
  '//console.test:8443/',
  `/${'a'.repeat(2000)}`,
  '/auth/logout',
  '/auth/',
  '/auth',
  '/%61uth/login',
  '/a/../auth/login',
  '/auth/login%',
];

test.each(ELSEWHERE.map((text) => [text]))('a return path that leads elsewhere or back to the sign-in becomes /: %j', (text) => {
  expect(returnPath(text)).toBe('/');
});

/** The same numbers at each run. */
function createDice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

test('whatever is made of the pieces of such addresses, a browser that follows the answer stays here', () => {
  const pieces = [
    ...[
      '/',
      '//',
      '\\',
      '.',
      '..',
      '%2e',
      '%2E',
      '%2f',
      '%5c',
      '%09',
      '%00',
      '\t',
      '\n',
      '\r',
      ' ',
      '\u0000',
      '\u3000',
      '\uff0f',
    ],
    ...['@', ':', '?', '#', ';', 'a', 'evil.test', 'https:', 'http://', 'auth', '%61uth', '[::1]', '127.0.0.1', '\ud800'],
  ];
  const dice = createDice(17);
  let kept = 0;
  for (let n = 0; n < 50_000; n += 1) {
    const length = 1 + dice(8);
    const text = (dice(4) > 0 ? '/' : '') + Array.from({ length }, () => pieces[dice(pieces.length)]).join('');
    const path = returnPath(text);
    // As the browser reads a Location header on any page of ours.
    for (const page of [`${PUBLIC_URL}/`, `${PUBLIC_URL}/auth/callback?code=x`]) {
      const landed = new URL(path, page);
      if (
        landed.origin !== PUBLIC_URL ||
        !/^\/(?![/\\])/.test(path) ||
        `${landed.pathname}${landed.search}${landed.hash}` !== path
      )
        expect.fail(`${JSON.stringify(text)} gives ${JSON.stringify(path)}, which leads to ${landed.href}`);
      if (decodeURIComponent(path === '/' ? path : landed.pathname.replace(/%(?![\da-f]{2})/gi, '')).startsWith('/auth/'))
        expect.fail(`${JSON.stringify(text)} leads back to the sign-in`);
    }
    if (path !== '/') kept += 1;
  }
  expect(kept).toBeGreaterThan(2000);
});
