import type { IncidentView } from '@svc/contracts/incidents/incident';
import type { Ctx } from '#kernel';
import type { TenantSql } from '#relational';
import type { IncidentsDeps } from '../context.ts';
import { type AffectedThing, affectedBy } from '../domain/affected.ts';
import { resolverOf, tellIncident } from '../domain/sentence.ts';
import { readSettings } from '../settings.ts';
import { ENTRY_COLUMNS, type EntryRow, SIGNAL_COLUMNS, type SignalRow } from '../store/rows.ts';
import { readIncident } from '../work.ts';
import { nameThem, peopleOf, presentEntry, presentIncident, presentSignal } from './present.ts';

/** Of one incident, the newest: what flaps for days has more. */
const MAX_SIGNALS = 500;
const MAX_ENTRIES = 1000;
/** Whose devices are named. */
const MAX_PLACES = 5;

type Related = IncidentView['related'];

async function readSignals(sql: TenantSql, id: string): Promise<SignalRow[]> {
  const text = `SELECT ${SIGNAL_COLUMNS} FROM signals s WHERE s.incident_id = $1 ORDER BY s.occurred_at DESC, s.seq DESC LIMIT ${MAX_SIGNALS}`;
  return (await sql.query<SignalRow>(text, [id])).rows.reverse();
}

async function readEntries(sql: TenantSql, id: string): Promise<EntryRow[]> {
  const text = `SELECT ${ENTRY_COLUMNS} FROM incident_entries e WHERE e.incident_id = $1 ORDER BY e.at DESC, e.id DESC LIMIT ${MAX_ENTRIES}`;
  return (await sql.query<EntryRow>(text, [id])).rows.reverse();
}

/** Of links both ways: whoever looks at either one finds the other. */
async function readRelated(sql: TenantSql, id: string): Promise<Related> {
  const { rows } = await sql.query<Related[number]>(
    `SELECT i.id, i.number::float8 AS number, i.title, min(l.why) AS why FROM incidents i JOIN (
       SELECT other_id AS id, why FROM incident_links WHERE incident_id = $1
       UNION SELECT incident_id, why FROM incident_links WHERE other_id = $1) l ON l.id = i.id
     GROUP BY i.id, i.number, i.title ORDER BY i.number DESC LIMIT 100`,
    [id],
  );
  return rows;
}

/** Devices that hurt now, for whoever may see devices: signals name none. */
async function listDevices(deps: IncidentsDeps, ctx: Ctx, signals: readonly SignalRow[]): Promise<AffectedThing[]> {
  const { tenant, permissions } = ctx.principal;
  if (!deps.listSharing || !permissions.has('agent.read')) return [];
  const devices = new Map<string, AffectedThing>();
  const shared = signals.filter(({ kind, recovered_at: end }) => kind === 'endpoint.shared_cause' && end === null);
  for (const { site, attributes, occurred_at: at } of shared.slice(-MAX_PLACES)) {
    const { cause = '', 'network.gateway.address': gateway = null } = attributes;
    for (const { id, name, since } of await deps.listSharing(tenant, { site: site ?? '', gateway, cause }))
      devices.set(id, { kind: 'device', id, name: name ?? id, since: (since ?? at).toISOString(), recovered_at: null });
  }
  return [...devices.values()];
}

/** All that an incident's page shows. */
export async function viewIncident(deps: IncidentsDeps, ctx: Ctx, id: string): Promise<IncidentView> {
  const { tenant } = ctx.principal;
  const read = await deps.relational.withTenantSql(tenant, async (sql) => ({
    row: await readIncident(sql, id),
    signals: await readSignals(sql, id),
    entries: await readEntries(sql, id),
    related: await readRelated(sql, id),
    settings: await readSettings(sql),
  }));
  const { row, signals, entries, related, settings } = read;
  const assignees = entries.filter(({ kind }) => kind === 'assigned').map(({ detail }) => detail || null);
  const nameOf = await nameThem(deps, tenant, [...peopleOf(row), ...entries.map(({ actor }) => actor), ...assignees]);
  const told = { status: row.status, title: row.title, resolvedBy: resolverOf(nameOf(row.resolved_by)) };
  return {
    incident: presentIncident(row, { tenant, nameOf }),
    sentence: tellIncident(
      told,
      signals.map((signal) => ({ ...signal, cause: signal.attributes['test.cause'] })),
    ),
    signals: signals.map(presentSignal),
    entries: entries.map((entry) => presentEntry(entry, nameOf)),
    affected: [...affectedBy(signals), ...(await listDevices(deps, ctx, signals))],
    related,
    auto_resolve_minutes: settings.auto_resolve_minutes,
  };
}
