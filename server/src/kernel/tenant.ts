import { AppError } from './errors.ts';

/** A tenant's slug; it is also `svc.tenant.id`, the partition, the bus key and the SPIFFE path (docs/contract/tenants-and-agents.md). */
export type TenantId = string & { readonly __tenant: true };

const SLUG = /^[a-z0-9-]{1,63}$/;

export const isTenantId = (text: string): text is TenantId => SLUG.test(text);

/** The narrow type of a slug that came from outside; `validation` for anything else. */
export function parseTenantId(text: string): TenantId {
  if (!isTenantId(text)) throw new AppError('validation', 'A tenant id is 1 to 63 characters of a-z, 0-9 and "-".');
  return text;
}
