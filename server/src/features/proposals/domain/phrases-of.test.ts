import { expect, it } from 'vitest';
import { phrasesOf } from './phrases-of.ts';

it('has each word and each row of words once, without what stands around them', () => {
  expect(phrasesOf('Ping “LAPTOP-7”, ping Ann’s MacBook!')).toEqual(
    expect.arrayContaining(['laptop-7', 'ping', 'ann’s macbook', 'ping “laptop-7”, ping ann’s macbook']),
  );
  expect(phrasesOf('ping ping ping').filter((one) => one === 'ping')).toHaveLength(1);
});

it('stays small for the longest request', () => {
  expect(phrasesOf('ab '.repeat(1333)).length).toBeLessThan(10);
  expect(phrasesOf(Array.from({ length: 1000 }, (_, n) => `a${n}`).join(' ')).length).toBeLessThanOrEqual(5000);
});
