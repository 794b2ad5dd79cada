import { expect, test } from 'vitest';
import { mayGrant, permissionsOf, rolesAmong } from './roles.ts';

test('no role, and a word that is no role, permit nothing', () => {
  expect(permissionsOf([]).size).toBe(0);
  expect(permissionsOf(['root', '__proto__', 'constructor']).size).toBe(0);
  expect(rolesAmong(['admin', 'root'])).toEqual(['admin']);
});

test('roles add up', () => {
  const held = permissionsOf(['viewer', 'auditor']);
  expect(held.has('audit.read') && held.has('agent.read')).toBe(true);
  expect(held.has('member.write')).toBe(false);
});

test('nobody hands out a permission they do not hold', () => {
  expect(mayGrant(permissionsOf(['operator']), ['viewer'])).toBe(true);
  expect(mayGrant(permissionsOf(['operator']), ['auditor'])).toBe(false);
  expect(mayGrant(permissionsOf(['admin']), ['admin', 'auditor'])).toBe(true);
});
