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
])('%s has %j as whole words: %s', (text, tokens, found) => {
  expect(hasAllWords(text, { tokens, parts: [] })).toBe(found);
});

test.each([
  ['Request FAILED', ['fail'], true],
  ['Request FAILED', ['fail', 'ques'], true],
  ['Request FAILED', ['fail', 'quux'], false],
  ['größer 5', ['größe'], true],
  ['GRÖSSE', ['grösse'], false],
])('%s has %j anywhere: %s', (text, parts, found) => {
  expect(hasAllWords(text, { tokens: [], parts })).toBe(found);
});
