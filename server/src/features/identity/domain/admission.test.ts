import { expect, test } from 'vitest';
import { type AdmissionRules, chooseTenant, firstRolesOf, groupRolesOf, isMeantFor } from './admission.ts';

const rules: AdmissionRules = {
  bootstrapAdmin: 'Ann@x.test',
  groupRoles: new Map([
    ['net', ['operator', 'viewer']],
    ['sec', ['auditor', 'viewer']],
  ]),
};
const person = { email: 'ann@x.test', emailVerified: true, groups: [] };

test('a new person has no roles, the named one is admin, but only with a verified address', () => {
  expect(firstRolesOf({ ...person, email: 'bob@x.test' }, rules)).toEqual([]);
  expect(firstRolesOf(person, rules)).toEqual(['admin']);
  expect(firstRolesOf({ ...person, emailVerified: false }, rules)).toEqual([]);
  expect(firstRolesOf({ ...person, email: '' }, { ...rules, bootstrapAdmin: undefined })).toEqual([]);
});

test('an address is matched as it stands, but for the case of A to Z', () => {
  const named = { ...rules, bootstrapAdmin: 'mark@x.test' };
  for (const email of ['mark@x.test', 'MARK@X.test']) expect(firstRolesOf({ ...person, email }, named)).toEqual(['admin']);
  // The Kelvin sign, full width, a dotless i, blanks, invisible characters.
  for (const email of ['mar\u212a@x.test', '\uff4dark@x.test', ' mark@x.test', 'mark@x.test\u200b', 'mark@x.test\n'])
    expect([firstRolesOf({ ...person, email }, named), isMeantFor({ ...person, email }, 'mark@x.test')]).toEqual([[], false]);
});

test('a link that names an address is for whom the provider says has it', () => {
  expect(isMeantFor(person, 'ANN@x.test')).toBe(true);
  expect(isMeantFor({ ...person, emailVerified: false }, 'ann@x.test')).toBe(false);
  expect(isMeantFor({ ...person, email: '', emailVerified: true }, 'ann@x.test')).toBe(false);
  expect(isMeantFor({ ...person, email: '', emailVerified: false }, '')).toBe(true);
});

test('groups give the roles they are mapped to, each once, and unknown groups none', () => {
  expect(groupRolesOf({ ...person, groups: ['net', 'sec', 'admin'] }, rules)).toEqual(['operator', 'viewer', 'auditor']);
  expect(groupRolesOf(person, rules)).toEqual([]);
});

test('a session begins in the tenant asked for, else in a real one', () => {
  const tenants = [
    { id: 'a-demo', is_demo: true },
    { id: 'firm', is_demo: false },
  ];
  expect(chooseTenant(tenants, 'a-demo')?.id).toBe('a-demo');
  expect(chooseTenant(tenants, 'elsewhere')?.id).toBe('firm');
  expect(chooseTenant([], 'firm')).toBeUndefined();
});
