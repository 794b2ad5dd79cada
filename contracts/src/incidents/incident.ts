import { z } from 'zod';
import { PLANES, SEVERITIES, Signal } from './signal.ts';

/** Incidents as `incidents.*` and `GET /v1/incidents` give them (docs/contract/incidents.md). */

export const INCIDENT_STATES = ['open', 'acknowledged', 'resolved'] as const;
export type IncidentState = (typeof INCIDENT_STATES)[number];

/** A person by account id, joined with their name when read; `system` where nobody did it. */
export const Actor = z.object({ id: z.string(), name: z.string() });

export const Incident = z.object({
  id: z.uuid(),
  /** Counts per tenant; what people see and say. */
  number: z.int(),
  tenant_id: z.string(),
  status: z.enum(INCIDENT_STATES),
  /** The highest of its signals' until a person sets it. */
  severity: z.enum(SEVERITIES),
  severity_set_by: Actor.nullable(),
  title: z.string(),
  target: z.string().nullable(),
  prefix: z.string().nullable(),
  site: z.string().nullable(),
  started_at: z.iso.datetime(),
  opened_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime(),
  acknowledged_at: z.iso.datetime().nullable(),
  acknowledged_by: Actor.nullable(),
  assigned_to: Actor.nullable(),
  resolved_at: z.iso.datetime().nullable(),
  resolved_by: Actor.nullable(),
  signal_count: z.int(),
  /** Of them, those that have not recovered. */
  open_signal_count: z.int(),
  planes: z.array(z.enum(PLANES)),
});
export type Incident = z.infer<typeof Incident>;

export const IncidentListQuery = z.object({
  search: z.string().max(200).optional(),
  status: z.array(z.enum(INCIDENT_STATES)).max(3).optional(),
  severity: z.array(z.enum(SEVERITIES)).max(3).optional(),
  plane: z.array(z.enum(PLANES)).max(4).optional(),
  target: z.string().max(253).optional(),
  site: z.string().max(128).optional(),
  assigned_to: z.string().max(64).optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  sort: z.enum(['open_first', 'newest', 'last_seen', 'severity']).default('open_first'),
  limit: z.int().min(1).max(1000).default(100),
  cursor: z.string().max(512).optional(),
});
export type IncidentListQuery = z.infer<typeof IncidentListQuery>;

export const IncidentList = z.object({
  items: z.array(Incident),
  next_cursor: z.string().nullable(),
  /** Open and acknowledged ones of the tenant, whatever the filter. */
  open: z.int(),
});

/** Who did what and when; a signal's joining and recovering are of it too. */
export const ENTRY_KINDS = [
  'opened',
  'signal_joined',
  'signal_recovered',
  'signal_removed',
  'acknowledged',
  'assigned',
  'severity_set',
  'commented',
  'merged',
  'resolved',
  'reopened',
] as const;

export const IncidentEntry = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  kind: z.enum(ENTRY_KINDS),
  actor: Actor.nullable(),
  signal_id: z.uuid().nullable(),
  /** A comment's text, a severity, the name of whom it was given to, the number of the other incident. */
  detail: z.string(),
});
export type IncidentEntry = z.infer<typeof IncidentEntry>;

/** A thing that is hurt: a test, a device, a service, a name that users visit. */
export const Affected = z.object({
  kind: z.enum(['test', 'device', 'service', 'site', 'app']),
  id: z.string(),
  name: z.string(),
  since: z.iso.datetime(),
  recovered_at: z.iso.datetime().nullable(),
});

export const IncidentView = z.object({
  incident: Incident,
  /** What hurts, where, since when. */
  sentence: z.string(),
  signals: z.array(Signal),
  entries: z.array(IncidentEntry),
  affected: z.array(Affected),
  /** Numbers of open incidents that a signal would have fitted too, and of those merged into it. */
  related: z.array(z.object({ id: z.uuid(), number: z.int(), title: z.string(), why: z.string() })),
  /** Minutes without a failing signal after which it resolves by itself; 0: never. */
  auto_resolve_minutes: z.int(),
});
export type IncidentView = z.infer<typeof IncidentView>;
