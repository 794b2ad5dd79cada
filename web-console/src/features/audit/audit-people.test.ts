import { expect, it } from 'vitest';
import type { AuditRecord, Member } from '../../api-types.ts';
import { listPeople } from './audit-people.ts';

const member = (id: string, name: string, email: string): Member =>
  ({ id, name, email, roles: [], group_roles: [], created_at: '', last_seen_at: null, is_me: false }) satisfies Member;
const entry = (actor: AuditRecord['actor']): AuditRecord => ({
  ...{ seq: '1', id: 'e', at: '2026-11-01T00:00:00Z', action: 'member.invite', object: null, detail: {}, change: null, hash: '' },
  actor,
});

it('offers members by name and e-mail, and whoever else did something, each once', () => {
  const members = [member('a', 'Ana Costa', 'ana@acme.test'), member('b', 'bo@acme.test', 'bo@acme.test')];
  const items = [
    entry({ kind: 'account', id: 'a', name: 'Ana Costa' }),
    entry({ kind: 'api_token', id: 't', name: 'nightly export' }),
    entry({ kind: 'account', id: 'gone', name: null }),
    entry({ kind: 'agent', id: 'd', name: 'LIS-LT-0004' }),
  ];
  expect(listPeople(members, items)).toEqual([
    { value: 'a', label: 'Ana Costa, ana@acme.test' },
    { value: 'b', label: 'bo@acme.test' },
    { value: 't', label: 'nightly export' },
  ]);
});
