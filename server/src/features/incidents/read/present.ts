import type { Incident, IncidentEntry } from '@svc/contracts/incidents/incident';
import type { Signal } from '@svc/contracts/incidents/signal';
import { canonicalTarget, type TenantId } from '#kernel';
import type { IncidentsDeps } from '../context.ts';
import type { EntryRow, IncidentRow, SignalRow } from '../store/rows.ts';
import { SYSTEM } from '../work.ts';

type Actor = NonNullable<Incident['assigned_to']>;
/** Somebody by id, with their name as it is now. */
export type NameOf = (id: string | null) => Actor | null;

/** Somebody whose account was erased, or who left. */
const NAMELESS = 'former member';

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** Names of all whom these rows name; asked for at once, outside of any transaction. */
export async function nameThem(
  { nameActors }: Pick<IncidentsDeps, 'nameActors'>,
  tenant: TenantId,
  ids: readonly (string | null)[],
): Promise<NameOf> {
  const wanted = [...new Set(ids.flatMap((id) => (id === null || id === SYSTEM ? [] : [id])))];
  const names = wanted.length === 0 ? new Map<string, string>() : await nameActors(tenant, wanted);
  return (id) => (id === null ? null : { id, name: id === SYSTEM ? SYSTEM : (names.get(id) ?? NAMELESS) });
}

export const peopleOf = (row: IncidentRow): (string | null)[] => [
  ...[row.severity_set_by, row.acknowledged_by, row.assigned_to, row.resolved_by],
];

export const presentIncident = (row: IncidentRow, { tenant, nameOf }: { tenant: TenantId; nameOf: NameOf }): Incident => ({
  ...{ id: row.id, number: row.number, tenant_id: tenant, status: row.status, severity: row.severity },
  ...{ severity_set_by: nameOf(row.severity_set_by), title: row.title, target: row.target, prefix: row.prefix, site: row.site },
  started_at: row.started_at.toISOString(),
  opened_at: row.opened_at.toISOString(),
  last_seen_at: row.last_seen_at.toISOString(),
  acknowledged_at: iso(row.acknowledged_at),
  acknowledged_by: nameOf(row.acknowledged_by),
  assigned_to: nameOf(row.assigned_to),
  resolved_at: iso(row.resolved_at),
  resolved_by: nameOf(row.resolved_by),
  ...{ signal_count: row.signal_count, open_signal_count: row.open_signal_count, planes: row.planes },
});

export const presentSignal = (row: SignalRow): Signal => ({
  ...{ id: row.id, plane: row.plane, kind: row.kind, severity: row.severity, title: row.title, summary: row.summary },
  target: row.target === null ? null : canonicalTarget(row.target),
  ...{ prefix: row.prefix, site: row.site, attributes: row.attributes },
  occurred_at: row.occurred_at.toISOString(),
  last_seen_at: row.last_seen_at.toISOString(),
  recovered_at: iso(row.recovered_at),
  ...{ held_back: row.held_back, incident_id: row.incident_id, joined_by: row.joined_by },
});

export const presentEntry = (row: EntryRow, nameOf: NameOf): IncidentEntry => ({
  id: row.id,
  at: row.at.toISOString(),
  kind: row.kind as IncidentEntry['kind'],
  actor: nameOf(row.actor),
  signal_id: row.signal_id,
  detail: row.kind === 'assigned' ? (nameOf(row.detail || null)?.name ?? '') : row.detail,
});
