import { expect, test } from 'vitest';
import { parseSearchText } from './search-text.ts';

test.each([
  ['disk full', { tokens: ['disk', 'full'], phrases: [] }],
  ['  Disk   FULL ', { tokens: ['disk', 'full'], phrases: [] }],
  ['"disk is full"', { tokens: ['is'], phrases: ['disk is full'] }],
  ['order-42 failed', { tokens: ['order', '42', 'failed'], phrases: ['order-42'] }],
  ['ÜBER Zürich', { tokens: ['Über', 'zürich'], phrases: [] }],
  ['->', { tokens: [], phrases: ['->'] }],
  ['""', { tokens: [], phrases: [] }],
  ['"unclosed word', { tokens: ['unclosed', 'word'], phrases: ['"unclosed'] }],
  ["'; DROP TABLE logs", { tokens: ['drop', 'table', 'logs'], phrases: ["';"] }],
])('%s', (text, terms) => {
  expect(parseSearchText(text)).toEqual(terms);
});

test('holds a text of thousands of words to its bound', () => {
  const { tokens } = parseSearchText(Array.from({ length: 5000 }, (_, i) => `w${i}`).join(' '));
  expect(tokens).toHaveLength(32);
});
