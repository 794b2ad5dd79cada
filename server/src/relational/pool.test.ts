import { expect, it } from 'vitest';
import { AppError } from '#kernel';
import { toTransient, translateDatabaseError } from './pool.ts';

const fault = (code?: string): Error => Object.assign(new Error('refused'), { code });

it('has the bus give a batch again for a fault of the database, and for none of the data', () => {
  for (const code of ['57P01', '40001', '53100'])
    expect(toTransient(fault(code), 'It could not be written.')).toMatchObject({
      code: 'unavailable',
      message: 'It could not be written.',
    });
  const own = new AppError('conflict', 'There is one already.');
  for (const error of [fault('22P02'), fault('23505'), fault('ECONNRESET'), fault(), own, undefined])
    expect(toTransient(error, 'It could not be written.')).toBe(error);
});

it('asks whoever met a deadlock to try again, and keeps a fault of the data as it is', () => {
  expect(translateDatabaseError(fault('40P01'))).toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
  const refused = fault('23505');
  expect(translateDatabaseError(refused)).toBe(refused);
});
