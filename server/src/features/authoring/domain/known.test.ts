import { expect, it } from 'vitest';
import { findNames, type Known } from './known.ts';
import { readItems } from './read-items.ts';

const knownOf = (names: readonly string[]): Known => ({
  tests: names.map((name) => ({ name, type: 'https', target: 'https://shop.example/' })),
  ...{ places: [], runners: [] },
});
const found = (text: string, known: Known): string[] =>
  findNames(readItems(text, () => false).items, known, text).flatMap(({ named }) => (named?.is === 'test' ? [named.name] : []));

it('finds a name among ten thousand, whatever it is made of', () => {
  const others = Array.from({ length: 9990 }, (_, i) => `Shop ${i}`);
  const own = ['Straße Süd', 'web2 front', '30s check', 'Kasse_3', 'a/b gate', 'Über-uns Seite', '“Quoted” name'];
  const known = knownOf([...others, ...own]);
  for (const [text, name] of [
    ['the same as shop 9989 every minute', 'Shop 9989'],
    ['like STRASSE SUD please', 'Straße Süd'],
    ['like web2 front', 'web2 front'],
    ['like 30s check', '30s check'],
    ['like kasse_3', 'Kasse_3'],
    ['like über-uns seite', 'Über-uns Seite'],
  ] as const)
    expect(found(text, known), text).toEqual([name]);
  expect(found('ping 10.0.0.1', known)).toEqual([]);
});

it('takes no longer for names that were made to be slow', () => {
  const long = 'a 1 b.c/d '.repeat(19);
  const text = `ping ${long}`.slice(0, 60);
  const startedMs = performance.now();
  for (const names of [`Shop ${long}`, `ping ${long}`, `a ${long}`, 'a-1-b.c/d'.repeat(20), 'a1b'.repeat(60)])
    found(text, knownOf(Array.from({ length: 10_000 }, (_, i) => `${names} ${i}`)));
  // Each took seconds, in which nobody was answered.
  expect(performance.now() - startedMs).toBeLessThan(2500);
});
