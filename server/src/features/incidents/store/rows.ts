import type { IncidentState } from '@svc/contracts/incidents/incident';
import type { Plane, Severity, SignalKind } from '@svc/contracts/incidents/signal';
import type { Table } from './upsert.ts';

export interface IncidentRow {
  id: string;
  number: number;
  status: IncidentState;
  severity: Severity;
  severity_set_by: string | null;
  title: string;
  target: string | null;
  prefix: string | null;
  site: string | null;
  started_at: Date;
  opened_at: Date;
  last_seen_at: Date;
  acknowledged_at: Date | null;
  acknowledged_by: string | null;
  assigned_to: string | null;
  resolved_at: Date | null;
  resolved_by: string | null;
  recovered_at: Date | null;
  signal_count: number;
  open_signal_count: number;
  planes: Plane[];
  merged_into: string | null;
  /** Written by `writeIncidents`. */
  search: string;
}

export interface SignalRow {
  id: string;
  seq: number;
  plane: Plane;
  kind: SignalKind;
  severity: Severity;
  title: string;
  summary: string;
  target: string | null;
  prefix: string | null;
  site: string | null;
  attributes: Record<string, string>;
  scope: string;
  dedup_key: string;
  occurred_at: Date;
  last_seen_at: Date;
  recovered_at: Date | null;
  held_back: string | null;
  incident_id: string | null;
  joined_by: string | null;
  taken_out_of: string | null;
}

export interface EntryRow {
  id: string;
  incident_id: string;
  at: Date;
  kind: string;
  actor: string;
  signal_id: string | null;
  detail: string;
}

const [uuid, text, bigint, integer, time] = ['uuid', 'text', 'bigint', 'integer', 'timestamptz'];

export const INCIDENTS: Table = {
  name: 'incidents',
  columns: {
    ...{ id: uuid, number: bigint, status: text, severity: text, severity_set_by: text, title: text, target: text, prefix: text },
    ...{ site: text, started_at: time, opened_at: time, last_seen_at: time, acknowledged_at: time, acknowledged_by: text },
    ...{ assigned_to: text, resolved_at: time, resolved_by: text, recovered_at: time, signal_count: integer },
    ...{ open_signal_count: integer, planes: 'text[]', merged_into: uuid, search: text },
  },
  key: ['id'],
};

export const SIGNALS: Table = {
  name: 'signals',
  columns: {
    ...{ id: uuid, seq: bigint, plane: text, kind: text, severity: text, title: text, summary: text, target: text, prefix: text },
    ...{
      site: text,
      attributes: 'jsonb',
      scope: text,
      dedup_key: text,
      occurred_at: time,
      last_seen_at: time,
      recovered_at: time,
    },
    ...{ held_back: text, incident_id: uuid, joined_by: text, taken_out_of: uuid },
  },
  key: ['id'],
};

export const ANCHORS: Table = {
  name: 'incident_anchors',
  columns: { incident_id: uuid, kind: text, value: text, port: integer, is_own: 'boolean', site: text },
  key: ['incident_id', 'kind', 'value', 'port', 'is_own', 'site'],
};

export const ENTRIES: Table = {
  name: 'incident_entries',
  columns: { id: uuid, incident_id: uuid, at: time, kind: text, actor: text, signal_id: uuid, detail: text },
  key: ['id'],
};

export const LINKS: Table = {
  name: 'incident_links',
  columns: { incident_id: uuid, other_id: uuid, why: text },
  key: ['incident_id', 'other_id'],
};

/** Columns as they are read: PostgreSQL's bigint would arrive as text. */
const readable = ({ columns }: Table, alias: string): string =>
  Object.entries(columns)
    .map(([name, type]) => (type === bigint ? `${alias}.${name}::float8 AS ${name}` : `${alias}.${name}`))
    .join(', ');

export const INCIDENT_COLUMNS = readable(INCIDENTS, 'i');
export const SIGNAL_COLUMNS = readable(SIGNALS, 's');
export const ENTRY_COLUMNS = readable(ENTRIES, 'e');
