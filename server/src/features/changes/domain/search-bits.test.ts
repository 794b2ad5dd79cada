import { expect, test } from 'vitest';
import { SEARCH_COLUMNS, searchBits } from './search-bits.ts';

const holds = (text: string, part: string): boolean => {
  const [all, some] = [searchBits(text), searchBits(part)];
  return SEARCH_COLUMNS.every((column) => (BigInt(all[column]) & BigInt(some[column])) === BigInt(some[column]));
};
const TEXT = 'deploy checkout 4.18.0 to production\nshop.example\nana\nacme/shop\nübergang 🚚 lieferung';

test('a text has the bits of whatever it holds', () => {
  for (let from = 0; from < TEXT.length; from += 1)
    for (const length of [1, 2, 3, 4, 9, 40]) expect(holds(TEXT, TEXT.slice(from, from + length))).toBe(true);
});

test('hardly any text has the bits of what it does not hold', () => {
  const others = Array.from({ length: 2000 }, (_, n) => `rollback of ${n} (${(n * 7919).toString(36)}) to staging`);
  expect(others.filter((text) => holds(text, 'checkout 4.18')).length).toBeLessThan(10);
  expect(others.filter((text) => holds(text, 'staging')).length).toBe(2000);
});

test('fewer than three letters are in every text, and bits are whole numbers of 64 bits', () => {
  expect(holds('', 'ab')).toBe(true);
  const all = Object.values(searchBits(Array.from({ length: 5000 }, (_, n) => n.toString(36)).join(' ')));
  for (const bits of all) expect(bits).toBe('-1');
  expect(() => searchBits('\ud800'.repeat(5))).not.toThrow();
});
