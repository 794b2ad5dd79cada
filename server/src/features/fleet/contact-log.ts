import type { TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import { COPY_COLUMNS, type CopyRow, toCopy } from './agent-rows.ts';
import type { FleetContext, TenantAgent } from './context.ts';
import type { ReadStatus } from './domain/read-status.ts';

const FLUSH_MS = 2000;
const ROWS_PER_STATEMENT = 1000;
interface Contact {
  atMs: number;
  status: ReadStatus | undefined;
  /** Set for a known agent that was refused for its protocol. */
  updateRequired: boolean;
}

// A contact without a status (results alone) moves the time and leaves everything else as it is.
// `former` holds the few rows whose device says its site or owner, so that what is taken of it can go into the trail.
const WRITE = `WITH u AS (SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::boolean[], $4::text[], $5::timestamptz[], $6::text[],
    $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::integer[], $13::integer[], $14::bigint[], $15::integer[],
    $16::timestamptz[], $17::boolean[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[])
    AS u(id, at, told, state, paused_until, agent_version, os, os_version, arch, model, device_name, policy_version, spool_results,
      spool_dropped, clock_skew_ms, disclosure_shown_at, simulated, face, missing_permissions, disclosure, site, owner_email)),
  former AS (SELECT a.id, a.site, a.owner_email FROM agents a JOIN u ON u.id = a.id
    WHERE a.tenant_id = current_setting('app.tenant_id') AND (u.site IS NOT NULL OR u.owner_email IS NOT NULL)
    ORDER BY a.id FOR UPDATE OF a)
  UPDATE agents a SET
    last_contact_at = greatest(coalesce(a.last_contact_at, u.at), u.at),
    state = coalesce(u.state, a.state),
    paused_until = CASE WHEN u.told THEN u.paused_until ELSE a.paused_until END,
    agent_version = CASE WHEN u.told THEN u.agent_version ELSE a.agent_version END,
    os = CASE WHEN u.told THEN u.os ELSE a.os END,
    os_version = CASE WHEN u.told THEN u.os_version ELSE a.os_version END,
    arch = CASE WHEN u.told THEN u.arch ELSE a.arch END,
    model = CASE WHEN u.told THEN u.model ELSE a.model END,
    device_name = CASE WHEN u.told THEN u.device_name ELSE a.device_name END,
    policy_version = CASE WHEN u.told THEN u.policy_version ELSE a.policy_version END,
    spool_results = CASE WHEN u.told THEN u.spool_results ELSE a.spool_results END,
    spool_dropped = CASE WHEN u.told THEN u.spool_dropped ELSE a.spool_dropped END,
    clock_skew_ms = CASE WHEN u.told THEN u.clock_skew_ms ELSE a.clock_skew_ms END,
    disclosure_shown_at = CASE WHEN u.told THEN u.disclosure_shown_at ELSE a.disclosure_shown_at END,
    simulated = CASE WHEN u.told THEN u.simulated ELSE a.simulated END,
    face = CASE WHEN u.told THEN u.face ELSE a.face END,
    missing_permissions = CASE WHEN u.told THEN string_to_array(u.missing_permissions, ' ') ELSE a.missing_permissions END,
    disclosure = CASE WHEN u.told THEN u.disclosure ELSE a.disclosure END,
    site = CASE WHEN a.site_by_person THEN a.site ELSE coalesce(a.site, u.site) END,
    owner_email = CASE WHEN a.owner_by_person THEN a.owner_email ELSE coalesce(a.owner_email, u.owner_email) END
  FROM u LEFT JOIN former f ON f.id = u.id
  WHERE a.tenant_id = current_setting('app.tenant_id') AND a.id = u.id AND a.revoked_at IS NULL AND a.retired_at IS NULL
  RETURNING ${COPY_COLUMNS}, f.id IS NOT NULL AND f.site IS NULL AND a.site IS NOT NULL AS took_site,
    f.id IS NOT NULL AND f.owner_email IS NULL AND a.owner_email IS NOT NULL AS took_owner`;

type WrittenRow = CopyRow & { took_site: boolean; took_owner: boolean };

/** The device's own word for where and whose it is stands in the trail like a person's. */
async function auditTaken({ appendAudit }: FleetContext, sql: TenantSql, row: WrittenRow): Promise<void> {
  const { id, site, owner_email: owner, took_site: tookSite, took_owner: tookOwner } = row;
  const write = async (action: string, after: string | null) =>
    await appendAudit(sql, {
      actor: { kind: 'agent', id },
      action,
      object: { type: 'agent', id },
      change: { agentId: id, before: null, after },
    });
  if (tookSite) await write('agent.set_site', site);
  if (tookOwner) await write('agent.set_owner', owner);
}

const toTime = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : new Date(ms).toISOString();

function toColumns(rows: readonly [string, Contact][]): unknown[][] {
  const of = <T>(pick: (status: ReadStatus) => T) => rows.map(([, { status }]) => (status ? pick(status) : null));
  return [
    rows.map(([id]) => id),
    rows.map(([, contact]) => toTime(contact.atMs)),
    rows.map(([, contact]) => contact.status !== undefined),
    rows.map(([, { status, updateRequired }]) => (updateRequired ? 'update_required' : (status?.state ?? null))),
    of((s) => toTime(s.pausedUntilMs)),
    of((s) => s.agentVersion),
    of((s) => s.os),
    of((s) => s.osVersion),
    of((s) => s.arch),
    of((s) => s.model),
    of((s) => s.deviceName),
    of((s) => s.policyVersion),
    of((s) => s.spoolResults),
    of((s) => s.spoolDropped),
    of((s) => s.clockSkewMs),
    of((s) => toTime(s.disclosureShownAtMs)),
    of((s) => s.simulated),
    of((s) => s.face),
    // One text for each: arrays of different lengths do not fit into one array parameter.
    of((s) => s.missingPermissions.join(' ')),
    of((s) => s.disclosure),
    of((s) => s.site),
    of((s) => s.ownerEmail),
  ];
}

/** Collects contacts and statuses and writes them every two seconds in a few statements, whatever the number of devices. */
export function createContactLog(context: FleetContext) {
  let waiting = new Map<TenantId, Map<string, Contact>>();
  let writing: Promise<void> = Promise.resolve();

  const merge = (tenant: TenantId, agentId: string, newer: Contact) => {
    const contacts = waiting.get(tenant) ?? new Map<string, Contact>();
    waiting.set(tenant, contacts);
    const older = contacts.get(agentId);
    const updateRequired = newer.updateRequired || (older?.updateRequired === true && !newer.status);
    const atMs = Math.max(newer.atMs, older?.atMs ?? 0);
    contacts.set(agentId, { atMs, status: newer.status ?? older?.status, updateRequired });
  };

  const writeTenant = async (tenant: TenantId, contacts: Map<string, Contact>) => {
    // Sorted, so that two replicas take row locks in the same order.
    const rows = [...contacts].sort(([a], [b]) => (a < b ? -1 : 1));
    for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
      const part = rows.slice(from, from + ROWS_PER_STATEMENT);
      await context.relational.withSystemSql(tenant, async (sql) => {
        const written = await sql.query<WrittenRow>(WRITE, toColumns(part));
        await context.writeAgentCopies(sql, written.rows.map(toCopy));
        for (const row of written.rows) await auditTaken(context, sql, row);
      });
    }
  };

  const writeAll = async () => {
    const taken = waiting;
    waiting = new Map();
    for (const [tenant, contacts] of taken) {
      try {
        await writeTenant(tenant, contacts);
      } catch (error) {
        context.log.warn({ err: error, tenant, agents: contacts.size }, 'contacts could not be written; trying again');
        const newer = waiting.get(tenant);
        waiting.set(tenant, contacts);
        for (const [agentId, contact] of newer ?? []) merge(tenant, agentId, contact);
      }
    }
  };

  const flush = async () => {
    writing = writing.then(writeAll);
    await writing;
  };
  const timer = setInterval(() => {
    if (waiting.size > 0) void flush();
  }, FLUSH_MS);
  timer.unref();

  return {
    note({ tenant, agentId }: TenantAgent, status?: ReadStatus): void {
      merge(tenant, agentId, { atMs: context.clock.now(), status, updateRequired: false });
    },
    noteUpdateRequired({ tenant, agentId }: TenantAgent): void {
      merge(tenant, agentId, { atMs: context.clock.now(), status: undefined, updateRequired: true });
    },
    flush,
    async close(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}

export type ContactLog = ReturnType<typeof createContactLog>;
