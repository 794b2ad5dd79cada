import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { countOfPage, shareAnswer } from './page-weight.ts';

const MIB = 1024 * 1024;
const heavy = (bytes: number) => ({
  id: 1,
  at: new Date(),
  of: null,
  attributes: { [`k${'e'.repeat(bytes / 2)}`]: ['v'.repeat(bytes / 2)] },
});

test('a page ends where its items come to 8 MiB of text, wherever that stands in them', () => {
  expect(countOfPage(Array.from({ length: 1000 }, () => heavy(100)))).toBe(1000);
  expect(countOfPage(Array.from({ length: 20 }, () => heavy(MIB)))).toBe(7);
  expect(
    countOfPage(
      Array.from({ length: 20 }, () => heavy(MIB)),
      2,
    ),
  ).toBe(3);
});

test('pages that are written as one answer share its 8 MiB', async () => {
  const items = Array.from({ length: 40 }, () => heavy(MIB / 4));
  const call = async () => {
    await sleep(1);
    return countOfPage(items);
  };
  expect(await shareAnswer(4, () => Promise.all([call(), call()]))).toEqual([7, 7]);
  expect(await call()).toBe(31);
});

test('it has one item, however heavy that is', () => {
  expect(countOfPage([heavy(20 * MIB), heavy(1)])).toBe(1);
  expect(countOfPage([])).toBe(0);
});
