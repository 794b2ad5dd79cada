import { expect, test } from 'vitest';
import { type AdmissionRules, chooseTenant, firstRolesOf, groupRolesOf } from './admission.ts';

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
