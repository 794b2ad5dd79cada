import { ROLE_PERMISSIONS, ROLES } from '@svc/contracts/permissions';
import { expect, test } from 'vitest';
import { mayDelete, readPermission, sharePermission } from './view-rights.ts';

const rolesWith = (needed: (held: ReadonlySet<string>) => boolean) =>
  ROLES.filter((role) => needed(new Set(ROLE_PERMISSIONS[role])));

test.each([
  ['fleet', ['it_admin', 'admin']],
  ['traces', ['operator', 'admin']],
  ['logs', ['operator', 'admin']],
] as const)('a view of %s is shared by %s, who can all read the page', (page, roles) => {
  const sharing = rolesWith((held) => held.has(sharePermission(page)));
  expect(sharing).toEqual(roles);
  expect(rolesWith((held) => held.has(readPermission(page)))).toEqual(expect.arrayContaining(sharing));
});

test.each([
  [{ isMine: true, shared: false }, ROLES],
  [{ isMine: true, shared: true }, ROLES],
  [{ isMine: false, shared: true }, ['admin']],
  [{ isMine: false, shared: false }, []],
])('a view that is %o is deleted by %s', (view, roles) => {
  expect(ROLES.filter((role) => mayDelete(new Set(ROLE_PERMISSIONS[role]), view))).toEqual(roles);
});
