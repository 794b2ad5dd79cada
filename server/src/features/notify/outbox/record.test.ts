import { expect, it } from 'vitest';
import { MAY_BE_CLOSED } from '../domain/step.ts';
import { becomeOf } from './record.ts';

it('names an object that may be there anew by its key alone, or the former one would be closed in its place', () => {
  const former = { id: 'T1', label: null, url: null };
  const link = { state: 'resolved', generation: 1, reference: former, former: null, note: '', isOrigin: false } as never;
  const tried = {
    verb: 'reopen',
    isNew: true,
    wasInDoubt: true,
    attempts: 2,
    nowMs: 1000,
    expiresMs: 90_000,
    failures: 0,
  } as const;
  const become = (isNew: boolean) =>
    becomeOf({ verb: 'reopen' } as never, link, { result: { is: 'assumed', why: 'perhaps', isNew }, tried: { ...tried, isNew } });
  expect(become(true).link).toMatchObject({ state: 'open', generation: 2, reference: null, former, note: 'perhaps' });
  expect(become(false).link).toMatchObject({ state: 'open', generation: 1, reference: former });
});

it('remembers of an object that it may have been closed, where that is not said again', () => {
  const link = { state: 'open', generation: 1, reference: null, former: null, note: '', isOrigin: false } as never;
  const drop = (row: object) =>
    becomeOf(row as never, link, {
      result: { is: 'dropped', why: 'opened again', isUntold: false },
      tried: { nowMs: 1 } as never,
    });
  expect(drop({ verb: 'resolve', in_doubt: true }).link).toMatchObject({ state: 'open', note: MAY_BE_CLOSED });
  expect(drop({ verb: 'resolve', in_doubt: false }).link).toMatchObject({ note: '' });
});
