import { expect, test } from 'vitest';
import { actorWords } from './actor-words.ts';

test('names who did something, and never shows an id', () => {
  expect(actorWords({ id: '01a2189f-5b3c-7454-b9b7-238ea00bd43f', name: 'Ana Duarte' })).toBe('Ana Duarte');
  expect(actorWords({ id: '01a2189f-5b3c-7454-b9b7-238ea00bd43f', name: null })).toBe('former member');
  expect(actorWords({ id: 'cli', name: null })).toBe('the command line');
});
