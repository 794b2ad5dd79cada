import type { Permission } from '@svc/contracts/permissions';

/** What somebody with the permission may do, so that "You may ..." and "Your role cannot ..." are sentences. */
export const PERMISSION_WORDS: Readonly<Record<Permission, string>> = {
  'agent.read': 'see devices',
  'agent.write': 'enrol, change and retire devices',
  'test.read': 'see tests',
  'test.write': 'create and run tests',
  'change.read': 'see changes',
  'incident.read': 'see incidents',
  'incident.write': 'work on incidents',
  'events.read': 'see events',
  'rum.read': 'see page loads of your users',
  'otlp.read': 'see traces, logs and metrics',
  'otlp.write': 'create and revoke telemetry tokens',
  'ai.query': 'ask the assistant',
  'audit.read': 'read and verify the audit trail',
  'member.write': 'manage people and API tokens',
  'lifecycle.export': 'export all data of the tenant',
  'lifecycle.erase': 'erase data of the tenant',
  'settings.write': 'change what is measured',
};

export const isPermission = (key: string | undefined): key is Permission =>
  key !== undefined && Object.hasOwn(PERMISSION_WORDS, key);

/** Why somebody is refused who lacks the permission. */
export const refusalWords = (permission: Permission): string => `Your role cannot ${PERMISSION_WORDS[permission]}.`;

/** As the head of a column: "See devices". */
export const permissionTitle = (permission: Permission): string => {
  const words = PERMISSION_WORDS[permission];
  return words.charAt(0).toUpperCase() + words.slice(1);
};
