import { configKey, parseInteger } from '#kernel';

/** Keys of the audit slice. The database refuses to remove an entry younger than 90 days, so a shorter retention would never hold. */
export const auditKeys = {
  retentionDays: configKey({
    key: 'SVC_AUDIT_RETENTION_DAYS',
    parse: parseInteger(90, 36_500),
    fallback: 400,
    defaultText: '400',
    doc: 'Days that audit entries are kept, at least 90; older ones are removed once a day behind a signed checkpoint.',
  }),
};
