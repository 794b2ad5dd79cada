import { expect, it } from 'vitest';
import { messageAfter, type Tried } from './outcome.ts';

const tried: Tried = {
  verb: 'open',
  isNew: true,
  wasInDoubt: false,
  attempts: 1,
  nowMs: 1000,
  expiresMs: 90_000_000,
  failures: 0,
};

it.each([
  { is: 'ambiguous', said: 'cut' },
  { is: 'retry', afterMs: null, said: '503' },
  { is: 'broken_credential', said: '401' },
] as const)('what was to be opened anew is still that after $is, or its object would be taken for the former one', (outcome) => {
  expect(messageAfter(tried, outcome).message).toMatchObject({ verb: 'reopen', state: 'waiting' });
  expect(messageAfter({ ...tried, isNew: false }, outcome).message).toMatchObject({ verb: 'open', state: 'waiting' });
});
