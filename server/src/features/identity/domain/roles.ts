import { PERMISSIONS, type Permission, ROLE_PERMISSIONS, ROLES, type Role } from '@svc/contracts/permissions';

/** The roles among these words; what is no role of ours grants nothing. */
export const rolesAmong = (words: readonly string[]): Role[] => ROLES.filter((role) => words.includes(role));

/** What these roles may do together; default deny. */
export function permissionsOf(roles: readonly string[]): ReadonlySet<Permission> {
  return new Set(rolesAmong(roles).flatMap((role) => ROLE_PERMISSIONS[role]));
}

/** True when whoever holds `held` may hand out these roles: nobody gives what they do not have. */
export const mayGrant = (held: ReadonlySet<Permission>, roles: readonly Role[]): boolean =>
  [...permissionsOf(roles)].every((permission) => held.has(permission));

/** For the role pages, in one sentence each. */
export const ROLE_DESCRIPTION: Readonly<Record<Role, string>> = {
  viewer: 'Sees everything but the audit trail.',
  it_admin: 'Sees what a viewer sees; enrols, names, retires and updates devices.',
  operator: 'Sees what a viewer sees; edits tests, works on incidents and asks the assistant.',
  auditor: 'Reads and verifies the audit trail, nothing else.',
  admin: 'May do everything in this tenant, people and tokens included.',
};

export const ALL_PERMISSIONS: ReadonlySet<Permission> = new Set(PERMISSIONS);
