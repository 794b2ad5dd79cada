import { expect, it } from 'vitest';
import { ApiError } from '../../api.ts';
import { describeFailure, isUnknownId } from './failure.tsx';

const badId = new ApiError('bad_request', 'id: Invalid UUID', {
  requestId: '01a2',
  faults: [{ path: 'id', message: 'Invalid UUID' }],
});
const unknownId = new ApiError('validation', 'id: unknown', { faults: [{ path: 'id', message: 'unknown' }] });
const badLimit = new ApiError('bad_request', 'limit: Too big', { faults: [{ path: 'limit', message: 'Too big' }] });

it('takes an id of no known form for one that nothing has', () => {
  const gone = new ApiError('not_found', 'There is no such endpoint.');
  expect([badId, unknownId, gone, badLimit, new Error('id')].map(isUnknownId)).toEqual([true, true, true, false, false]);
});

it('keeps the words of a validator from the reader', () => {
  for (const error of [badId, unknownId, badLimit]) {
    const { title, text } = describeFailure(error);
    expect(`${title} ${text}`).not.toMatch(/UUID|unknown|Too big|Request|\b(id|limit):/);
  }
  expect(describeFailure(badId).title).toBe('Not found');
});

it('leaves the sentences of the server as they are', () => {
  const refused = new ApiError('validation', 'attribute: At most 10 tests.', {
    faults: [{ path: 'attribute', message: 'At most 10 tests.' }],
  });
  expect(describeFailure(refused).text).toBe('attribute: At most 10 tests.');
  expect(describeFailure(new ApiError('not_found', 'There is no such token.')).text).toBe('There is no such token.');
});
