import { readStored, writeStored } from '../../../../ui/preferences/stored.ts';

const key = (tenant: string): string => `svc.first-run.later.${tenant}`;

/** Whether this browser's user put the first-run page off for the tenant. */
export const isLater = (tenant: string): boolean => readStored(key(tenant)) === 'yes';
export const putOff = (tenant: string): void => writeStored(key(tenant), 'yes');
