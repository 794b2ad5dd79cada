import { pino } from 'pino';
import { expect, test } from 'vitest';
import { AppError, parseTenantId, systemClock } from '#kernel';
import { createSeriesReader, type SeriesReaderDeps } from './read-series.ts';

const ACME = parseTenantId('acme');
const log = pino({ level: 'silent' });

/** A store without a row of anybody. */
const store = { readColumns: async () => [] };

const open = (countedDays: SeriesReaderDeps['countedDays'], deadlineMs?: number) =>
  createSeriesReader({
    ...{ store, countedDays, most: 100, clock: systemClock, log },
    ...(deadlineMs !== undefined && { deadlineMs }),
  });

test('a reading that is refused does not say that the tenant has no series', async () => {
  const read = open(async () => {
    throw new AppError('rate_limited', 'Too many concurrent requests of this tenant.');
  });
  expect(await read(ACME)).toMatchObject({ isUnreadable: true });
});

test('a slow reading is not waited for beyond its time, and is there when it is asked for again', async () => {
  const slow = Promise.withResolvers<Map<number, number>>();
  let readings = 0;
  const read = open(() => {
    readings++;
    return slow.promise;
  }, 20);
  expect(await read(ACME)).toMatchObject({ isUnreadable: true });
  slow.resolve(new Map([[7, 5]]));
  expect(await read(ACME)).toEqual({ tenant: ACME, months: new Map(), days: new Map([[7, 5]]) });
  expect(readings).toBe(1);
});
