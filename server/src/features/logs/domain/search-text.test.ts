import { expect, test } from 'vitest';
import { parseSearchText } from './search-text.ts';

test.each([
  ['disk full', { tokens: [], parts: ['disk', 'full'], phrases: [] }],
  ['  Disk   FULL ', { tokens: [], parts: ['disk', 'full'], phrases: [] }],
  ['"Failed"', { tokens: ['failed'], parts: [], phrases: [] }],
  ['"disk is full"', { tokens: ['is'], parts: [], phrases: ['disk is full'] }],
  ['order-42 failed', { tokens: [], parts: ['failed'], phrases: ['order-42'] }],
  ['0af7-651916cd-43dd', { tokens: ['651916cd'], parts: [], phrases: ['0af7-651916cd-43dd'] }],
  ['ÜBER Zürich', { tokens: [], parts: ['Über', 'zürich'], phrases: [] }],
  ['->', { tokens: [], parts: [], phrases: ['->'] }],
  ['""', { tokens: [], parts: [], phrases: [] }],
  ['"unclosed word', { tokens: [], parts: ['word'], phrases: ['"unclosed'] }],
  ["'; DROP TABLE logs", { tokens: [], parts: ['drop', 'table', 'logs'], phrases: ["';"] }],
])('%s', (text, terms) => {
  expect(parseSearchText(text)).toEqual(terms);
});

test('holds a text of thousands of words to its bound', () => {
  const { parts } = parseSearchText(Array.from({ length: 5000 }, (_, i) => `w${i}`).join(' '));
  expect(parts).toHaveLength(32);
});
