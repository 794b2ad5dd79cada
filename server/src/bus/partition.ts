import type { TenantId } from '#kernel';

/** Partitions of a topic in the adapters of one process: as many handlers of a group run side by side. */
export const LOCAL_PARTITIONS = 4;

/** 32-bit FNV-1a of the tenant. It decides the partition on every adapter: never change it, or a tenant's order breaks. */
export function hashTenant(tenant: TenantId): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < tenant.length; at++) hash = Math.imul(hash ^ tenant.charCodeAt(at), 0x01000193);
  // FNV's low bits are weak: fold the high ones in before a modulo by a small number.
  return (hash ^ (hash >>> 16)) >>> 0;
}
