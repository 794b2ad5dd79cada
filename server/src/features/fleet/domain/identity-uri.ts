import { isTenantId, type TenantId } from '#kernel';

const AGENT_URI = /^spiffe:\/\/svc\/tenant\/([a-z0-9-]{1,63})\/agent\/([0-9a-f-]{36})$/;

export const tenantUri = (tenant: TenantId): string => `spiffe://svc/tenant/${tenant}`;
export const agentUri = (tenant: TenantId, agentId: string): string => `${tenantUri(tenant)}/agent/${agentId}`;

/**
 * The identity that a leaf's subject alternative names claim, as Node prints them (`URI:...`); undefined unless there is exactly
 * one name and it is an agent's. A claim only: it holds when the tenant's own intermediate issued the leaf.
 */
export function readAgentUri(subjectAltName: string | undefined): { tenant: TenantId; agentId: string } | undefined {
  if (!subjectAltName?.startsWith('URI:') || subjectAltName.includes(',')) return undefined;
  const match = AGENT_URI.exec(subjectAltName.slice('URI:'.length));
  const [, tenant, agentId] = match ?? [];
  if (tenant === undefined || agentId === undefined || !isTenantId(tenant)) return undefined;
  return { tenant, agentId };
}
