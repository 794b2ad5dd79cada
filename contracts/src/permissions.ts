/** Permissions and the roles that hold them (docs/people-and-audit.md). Default is deny: what is not listed is refused. */
export const PERMISSIONS = [
  'agent.read',
  'agent.write',
  'test.read',
  'test.write',
  'change.read',
  'incident.read',
  'incident.write',
  'events.read',
  'rum.read',
  'otlp.read',
  'otlp.write',
  'ai.query',
  'audit.read',
  'member.write',
  'lifecycle.export',
  'lifecycle.erase',
  'settings.write',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ['viewer', 'it_admin', 'operator', 'auditor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const viewer = PERMISSIONS.filter((name) => name.endsWith('.read') && name !== 'audit.read');

export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  viewer,
  it_admin: [...viewer, 'agent.write'],
  operator: [...viewer, 'test.write', 'incident.write', 'ai.query'],
  auditor: ['audit.read'],
  admin: PERMISSIONS,
};
