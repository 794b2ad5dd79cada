import { expect, it } from 'vitest';
import { decodeAuditSearch } from './audit-search.ts';

it('keeps an action, an actor and days of the calendar', () => {
  const search = { action: 'member.invite', actor: 'a-1', from: '2026-11-01', to: '2026-11-21' };
  expect(decodeAuditSearch(search)).toEqual(search);
  expect(decodeAuditSearch({ action: 'member' })).toEqual({ action: 'member' });
});

it('leaves out what the server would refuse', () => {
  for (const action of ['DROP TABLE', 'a.b.c', `a${'b'.repeat(100)}`]) expect(decodeAuditSearch({ action })).toEqual({});
  for (const from of ['yesterday', '2026-02-31', '2026-13-01', '0']) expect(decodeAuditSearch({ from })).toEqual({});
  expect(decodeAuditSearch({ actor: 'x'.repeat(201) })).toEqual({});
});
