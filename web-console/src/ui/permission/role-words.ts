import type { Role } from '@svc/contracts/permissions';

export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  it_admin: 'IT administrator',
  operator: 'Operator',
  auditor: 'Auditor',
  admin: 'Administrator',
};

/** What a role is for, in one sentence. */
export const ROLE_MEANINGS: Readonly<Record<Role, string>> = {
  viewer: 'Sees devices and what was measured. Changes nothing, does not see the audit trail.',
  it_admin: 'A viewer who also enrols, renames and retires devices and asks them to measure now.',
  operator: 'A viewer who also runs tests and works on incidents.',
  auditor: 'Reads and verifies the audit trail, and nothing else.',
  admin: 'May do everything in this tenant, people and tokens included.',
};
