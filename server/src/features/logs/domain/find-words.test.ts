import { expect, test } from 'vitest';
import { hasAllWords } from './find-words.ts';

test.each([
  ['disk is full', ['disk'], true],
  ['Disk check', ['disk'], true],
  ['diskless', ['disk'], false],
  ['ramdisk disk', ['disk'], true],
  ['order-42 paid', ['42', 'order'], true],
  ['order-42 paid', ['42', 'unpaid'], false],
  ['größe 5', ['größe'], true],
  ['größer 5', ['größe'], false],
  // Beyond ASCII nothing is lowered, and all is part of a word.
  ['GRÖSSE', ['grösse'], false],
  ['“disk”', ['disk'], false],
  ['a_b', ['b'], true],
  ['', ['x'], false],
  ['anything', [], true],
])('%s has %j: %s', (text, words, found) => {
  expect(hasAllWords(text, words)).toBe(found);
});
