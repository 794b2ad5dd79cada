import { expect, it } from 'vitest';
import { bytesOf, cutText, dropText, dropTexts, fitAnswer } from './fit-answer.ts';

it('leaves alone what fits', () => {
  const value = { items: [1, 2], title: 'a' };
  expect(fitAnswer(value, 100)).toEqual({ value, cut: null });
});

it('shortens long lists and texts only as far as it must, and says how far', () => {
  const value = { title: 'short', body: 'x'.repeat(20_000), items: Array.from({ length: 400 }, (_, i) => ({ i })) };
  const { value: cut, cut: how } = fitAnswer(value, 8000);
  expect(bytesOf(cut)).toBeLessThanOrEqual(8000);
  expect(how).toEqual({ items: 300, characters: 2000 });
  expect(cut).toMatchObject({ title: 'short', body: expect.stringContaining('18000 characters more') });
});

it('keeps its bound for whatever comes: deep, wide, one text alone', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 'x'.repeat(100) : Array.from({ length: 6 }, () => deep(levels - 1)));
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`name ${i}`, 'value']));
  for (const value of [deep(6), wide, 'é'.repeat(100_000), { a: '\u0000'.repeat(50_000) }])
    expect(bytesOf(fitAnswer(value, 4000).value)).toBeLessThanOrEqual(4000);
});

it('cuts no character in two, and drops as a whole what is not masked yet', () => {
  expect(cutText('a😀', 2)).toBe('a\uFFFD (... 1 characters more)');
  expect(dropText('secret', 3)).toBe('(a text of 6 characters was left out)');
  expect(dropTexts({ texts: ['abc', 'abcd'] }, 3)).toEqual({ texts: ['abc', '(a text of 4 characters was left out)'] });
});
