import { expect, it } from 'vitest';
import { besideBound } from './assert.ts';
import { checkExpression, matchExpression } from './expression.ts';
import { checkJsonPath, jsonStart, readAt } from './json-path.ts';

it('takes what RE2 takes, and says what is wrong with the rest', () => {
  for (const good of ['^ok$', '(?i)health', '\\bup\\b', '[^"]+@[a-z]+', '\\p{Greek}'])
    expect(checkExpression(good)).toBeUndefined();
  for (const bad of ['(', '(?<=a)b', '(a)\\1', 'a{2000}', '((x{1,100}){1,10}){1,10}'])
    expect(checkExpression(bad)).toMatch(/no expression that RE2 takes/);
});

it.each([
  '^(x+y+)+$z',
  '(x+x+)+z',
  '(x|x)*z',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(?:x[xy]{90}|y[xy]{91}|[xy]x[xy]{92})+\\d',
  '(.*)(.*)(.*)(.*)(.*)[0-9]$',
])('is done with %s in a second, however long the text', (pattern) => {
  const text = Array.from({ length: 1_000_000 }, (_, i) => ((i * 7919) % 13 < 6 ? 'x' : 'y')).join('');
  const startedMs = performance.now();
  const { found, lookedAt } = matchExpression(pattern, text);
  expect(performance.now() - startedMs).toBeLessThan(2000);
  expect([found, (lookedAt ?? 0) >= 4000]).toEqual([false, true]);
});

it('says how much of a text was looked at, where it was not all', () => {
  expect(matchExpression('needle', 'a needle')).toEqual({ found: true });
  expect(matchExpression('needle', `${' '.repeat(300_000)}needle`)).toEqual({ found: false, lookedAt: 262_144 });
});

const value = { items: [{ name: 'tea', 'a b': null }, { name: 'mate' }], 'odd\'"key': 1, ok: true };

it.each([
  ['$', value],
  ['$.items[0].name', 'tea'],
  ['$.items[-1].name', 'mate'],
  ["$['items'][0]['a b']", null],
  ['$["odd\'\\"key"]', 1],
])('finds %s', (path, found) => expect(readAt(value, path)).toEqual({ found: true, value: found }));

it.each(['$.none', '$.items[2]', '$.items[-3]', '$.items.length', '$.ok.x', '$.toString', '$.__proto__', '$.items[0].name[0]'])(
  'finds nothing at %s',
  (path) => expect(readAt(value, path)).toEqual({ found: false }),
);

it.each([[[1, 'ü"\n', null, true, { 'a b': [], c: {} }]], ['text'], [null], [1.5], [{}]])(
  'writes a value again as JSON does',
  (one) => {
    const whole = JSON.stringify(one);
    expect(jsonStart(one, 1000)).toBe(whole);
    expect(jsonStart(one, 5)).toBe(whole.slice(0, 5));
  },
);

it('writes no more of a value than is asked for, however large or deep it is', () => {
  const large = {
    list: Array.from({ length: 200_000 }, (_, n) => ({ name: `item ${n}`, text: 'x'.repeat(20) })),
    long: 'y'.repeat(9e6),
  };
  const deep = JSON.parse(`${'['.repeat(400_000)}${']'.repeat(400_000)}`) as unknown;
  const sinceMs = performance.now();
  for (let n = 0; n < 50; n += 1) expect(jsonStart(large, 1000)).toHaveLength(1000);
  expect(performance.now() - sinceMs).toBeLessThan(500);
  expect(jsonStart(deep, 1e6)).toContain('"…"');
});

it('takes no filters, scripts, wildcards or descents', () => {
  for (const path of [
    '$..name',
    '$.items[*]',
    '$.items[?(@.name)]',
    '$.items[(@.length-1)]',
    '$.',
    'items',
    '$[01x]',
    '$.items[0',
  ])
    expect(checkJsonPath(path)).toMatch(/no path/);
  expect(checkJsonPath('$.a_b-c[3]["x"]')).toBeUndefined();
});

it.each([
  [100.4, 100, 0, '100.4'],
  [100.4, 101, 0, '100'],
  [99.96, 99.97, 1, '99.96'],
  [(1 / 30) * 100, 3, 0, '3.3'],
  [5, 5, 0, '5'],
])('writes %d beside its bound of %d as being on its side', (...[value, bound, digits, text]) =>
  expect(besideBound(value, bound, digits)).toBe(text),
);
