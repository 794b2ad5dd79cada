import type { AgentCopy } from './context.ts';

/** The name that people see of a row of the agents table `a`. */
export const SHOWN_NAME = 'coalesce(a.given_name, a.device_name)';

/** Columns that make up the copy in the endpoint view; `a` is the agents table. */
export const COPY_COLUMNS = `a.id, ${SHOWN_NAME} AS name, a.owner_email, a.site, a.os, a.os_version,
  a.agent_version, a.ring, a.state, a.paused_until, a.simulated, a.enrolled_at, a.last_contact_at, a.clock_skew_ms,
  a.face, a.missing_permissions, a.disclosure`;

export interface CopyRow {
  id: string;
  name: string | null;
  owner_email: string | null;
  site: string | null;
  os: string | null;
  os_version: string | null;
  agent_version: string | null;
  ring: string;
  state: string;
  paused_until: Date | null;
  simulated: boolean;
  enrolled_at: Date;
  last_contact_at: Date | null;
  clock_skew_ms: number;
  face: string | null;
  missing_permissions: string[] | null;
  disclosure: string | null;
}

export const toCopy = (row: CopyRow): AgentCopy => ({
  agentId: row.id,
  name: row.name,
  owner: row.owner_email,
  site: row.site,
  os: row.os,
  osVersion: row.os_version,
  agentVersion: row.agent_version,
  ring: row.ring,
  state: row.state,
  pausedUntil: row.paused_until,
  simulated: row.simulated,
  enrolledAt: row.enrolled_at,
  lastContactAt: row.last_contact_at,
  clockSkewMs: row.clock_skew_ms,
  face: row.face,
  missingPermissions: row.missing_permissions ?? [],
  disclosure: row.disclosure,
});
