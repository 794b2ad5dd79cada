/** Classes of data, low to high, and what belongs to which unless a tenant's policy says otherwise (docs/privacy.md). */
export const DATA_CLASSES = ['public', 'internal', 'confidential', 'pii', 'restricted'] as const;
export type DataClass = (typeof DATA_CLASSES)[number];

export const DATA_CATEGORIES = [
  'ip_address',
  'email',
  'geo',
  'mac_address',
  'hostname',
  'user_agent',
  'asn',
  'credential',
] as const;
export type DataCategory = (typeof DATA_CATEGORIES)[number];

export const USUAL_CLASSES: Readonly<Record<DataCategory, DataClass>> = {
  ip_address: 'pii',
  email: 'pii',
  geo: 'pii',
  mac_address: 'confidential',
  hostname: 'internal',
  user_agent: 'internal',
  asn: 'public',
  credential: 'restricted',
};
