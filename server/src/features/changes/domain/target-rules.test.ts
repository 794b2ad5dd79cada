import { expect, test } from 'vitest';
import { createRuleFinder, matchesPattern, type Rule } from './target-rules.ts';

const rule = (given: Partial<Rule>): Rule => ({ repository: '', environment: '', path: '', target: 'x', prefix: null, ...given });

test('a star stands for any text, and everything else for itself', () => {
  const cases: readonly [string, string, boolean][] = [
    ['acme/shop', 'acme/shop', true],
    ['acme/*', 'acme/shop', true],
    ['*shop', 'acme/shop', true],
    ['a*e/s*p', 'acme/shop', true],
    ['acme/*', 'other/shop', false],
    ['acme/shop', 'acme/shops', false],
    ['a.me', 'acme', false],
    ['*', '', true],
    ['', '', true],
  ];
  for (const [pattern, text, wanted] of cases)
    expect([pattern, text, matchesPattern(pattern, text)]).toEqual([pattern, text, wanted]);
});

test('many stars take no longer than the text', () => {
  const from = performance.now();
  expect(matchesPattern(`${'a*'.repeat(200)}b`, 'a'.repeat(20_000))).toBe(false);
  expect(performance.now() - from).toBeLessThan(500);
});

test('the first row that fits decides', () => {
  const rules = [
    rule({ repository: 'acme/shop', environment: 'staging' }),
    rule({ repository: 'acme/*', path: 'deploy/' }),
    rule({ environment: 'production' }),
  ];
  const of = (repository: string | null, environment: string | null, paths: string[] = []) =>
    createRuleFinder(rules).find({ repository, environment, paths });
  expect(of('acme/shop', 'staging')).toBe(0);
  expect(of('Acme/Shop', 'Staging')).toBe(0);
  expect(of('acme/shop', null, ['src/a.ts', 'deploy/shop.yaml'])).toBe(1);
  expect(of('acme/shop', null, ['src/deploy/a'])).toBe(-1);
  expect(of(null, 'production')).toBe(2);
  expect(of(null, null)).toBe(-1);
});

test('a table and a push that were made to be slow decide nothing, and take no more than a moment', () => {
  const slow = Array.from({ length: 500 }, () => rule({ path: `a*${'a'.repeat(240)}b` }));
  const paths = Array.from({ length: 200 }, () => 'a'.repeat(500));
  const finder = createRuleFinder([...slow, rule({})]);
  const from = performance.now();
  expect(finder.find({ repository: null, environment: null, paths })).toBe(-1);
  expect(performance.now() - from).toBeLessThan(1000);
  expect(finder.isSpent()).toBe(true);
  for (let i = 0; i < 10_000; i += 1) expect(finder.find({ repository: `r${i}`, environment: null, paths })).toBe(-1);
  expect(performance.now() - from).toBeLessThan(2000);
});

test('what a large tenant writes is decided to its last row', () => {
  const rows = Array.from({ length: 499 }, (_, i) => rule({ repository: `acme/service-${i}`, path: `deploy/service-${i}/` }));
  const finder = createRuleFinder([...rows, rule({ repository: 'acme/*', path: '*/last/' })]);
  const paths = Array.from({ length: 200 }, (_, i) => `src/module-${i}/${i === 199 ? 'last/' : ''}file.ts`);
  for (let i = 0; i < 100; i += 1) expect(finder.find({ repository: 'acme/shop', environment: null, paths })).toBe(499);
});
