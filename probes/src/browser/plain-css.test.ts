import { expect, it } from 'vitest';
import { isPlainCss } from './plain-css.ts';

it.each([
  'button',
  '#order > .total',
  'form input[name="word"]',
  "a[href='/cart'], a[href='/basket']",
  'tr:nth-child(2n+1) td:not(.gone):last-child',
  'ul:has(> li.open) ~ p',
  '*',
])('takes %s', (selector) => expect(isPlainCss(selector)).toBe(true));

it.each([
  ['a beginning', 'input[value^="a"]'],
  ['an end', '[data-key$=z]'],
  ['a part', '[title*="a"]'],
  ['a word', '[class~="a"]'],
  ['a part before a dash', '[lang|="a"]'],
  ['a letter in either case', '[value="a" i]'],
  ['a text within', 'p:has-text("a")'],
  ['a text', ':text("a")'],
  ['a text by expression', ':text-matches("^a")'],
  ['a text in brackets of another', 'div:not(:has-text("a"))'],
  ['a chain of engines', 'p >> text=a'],
  ['a chain without spaces', 'p>>text=a'],
  ['an engine of its own', 'text=a'],
  ['XPath', '//p[contains(., "a")]'],
  ['places on the screen', 'p:right-of(#a)'],
  ['an escape', '[value=\\61 ]'],
  ['an engine of Playwright', 'internal:text="a"'],
  ['a quoted text', '"a"'],
])('does not take %s', (_, selector) => expect(isPlainCss(selector)).toBe(false));
