import type { TenantSql } from '#relational';
import { noteStateChanges } from './state-changes.ts';

/** What fleet tells of an agent; see AgentCopy there. */
export interface AgentCopy {
  agentId: string;
  name: string | null;
  owner: string | null;
  site: string | null;
  os: string | null;
  osVersion: string | null;
  agentVersion: string | null;
  ring: string;
  state: string;
  pausedUntil: Date | null;
  simulated: boolean;
  enrolledAt: Date;
  lastContactAt: Date | null;
  clockSkewMs: number;
  face: string | null;
  missingPermissions: readonly string[];
  disclosure: string | null;
}

/** Text whose order is the order of versions: every number padded; undefined parts sort first. */
export const versionSortKey = (version: string): string =>
  version
    .split(/[.+-]/)
    .slice(0, 6)
    .map((part) => (/^\d{1,9}$/.test(part) ? part.padStart(9, '0') : part.slice(0, 20)))
    .join('.');

const UPSERT = `INSERT INTO endpoint_summary AS s (tenant_id, agent_id, name, owner, site, os, os_version, agent_version, agent_version_sort,
    ring, state, paused_until, simulated, enrolled_at, last_contact_at, clock_skew_ms, face, missing_permissions, disclosure)
  SELECT current_setting('app.tenant_id'), u.agent_id, u.name, u.owner, u.site, u.os, u.os_version, u.agent_version, u.version_sort, u.ring,
    u.state, u.paused_until, u.simulated, u.enrolled_at, u.last_contact_at, u.clock_skew_ms, u.face, string_to_array(u.permissions, ' '),
    u.disclosure
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::timestamptz[], $12::boolean[], $13::timestamptz[], $14::timestamptz[], $15::integer[], $16::text[],
    $17::text[], $18::text[]) AS u(agent_id, name, owner, site, os, os_version, agent_version, version_sort, ring, state, paused_until,
      simulated, enrolled_at, last_contact_at, clock_skew_ms, face, permissions, disclosure)
  ORDER BY 2
  ON CONFLICT (tenant_id, agent_id) DO UPDATE SET name = excluded.name, owner = excluded.owner, site = excluded.site, os = excluded.os,
    os_version = excluded.os_version, agent_version = excluded.agent_version, agent_version_sort = excluded.agent_version_sort,
    ring = excluded.ring, state = excluded.state, paused_until = excluded.paused_until, simulated = excluded.simulated,
    enrolled_at = excluded.enrolled_at, last_contact_at = excluded.last_contact_at, clock_skew_ms = excluded.clock_skew_ms,
    face = excluded.face, missing_permissions = excluded.missing_permissions, disclosure = excluded.disclosure`;

/** Writes what fleet knows of agents into the view, in fleet's own transaction; new agents get their row here. */
export async function writeAgentCopies(sql: TenantSql, copies: readonly AgentCopy[]): Promise<void> {
  if (copies.length === 0) return;
  await noteStateChanges(sql, copies);
  const of = <T>(pick: (copy: AgentCopy) => T): T[] => copies.map(pick);
  await sql.query({
    name: 'endpoint-copies',
    text: UPSERT,
    values: [
      of((c) => c.agentId),
      of((c) => c.name),
      of((c) => c.owner),
      of((c) => c.site),
      of((c) => c.os),
      of((c) => c.osVersion),
      of((c) => c.agentVersion),
      of((c) => (c.agentVersion === null ? null : versionSortKey(c.agentVersion))),
      of((c) => c.ring),
      of((c) => c.state),
      of((c) => c.pausedUntil),
      of((c) => c.simulated),
      of((c) => c.enrolledAt),
      of((c) => c.lastContactAt),
      of((c) => c.clockSkewMs),
      of((c) => c.face),
      of((c) => c.missingPermissions.join(' ')),
      of((c) => c.disclosure),
    ],
  });
}

/** Takes agents that are gone out of the view; results that still come for them are not shown. */
export async function removeAgentCopies(sql: TenantSql, agentIds: readonly string[]): Promise<void> {
  if (agentIds.length > 0) await sql.query('DELETE FROM endpoint_summary WHERE agent_id = ANY($1::uuid[])', [agentIds]);
}
