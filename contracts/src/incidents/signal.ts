import { z } from 'zod';
import { PLANES, SEVERITIES, SIGNAL_KINDS } from './kinds.ts';

export { PLANES, type Plane, SEVERITIES, type Severity, SIGNAL_KINDS, type SignalKind } from './kinds.ts';

/** Detections of all planes, as slices raise them and as `GET /v1/signals` gives them (docs/contract/incidents.md). */

export const RaisedSignal = z.strictObject({
  plane: z.enum(PLANES),
  kind: z.enum(SIGNAL_KINDS),
  severity: z.enum(SEVERITIES),
  /** One line: what hurts, where. */
  title: z.string().min(1).max(200),
  summary: z.string().max(2000),
  /** Host, service or address; correlation anchor. Any spelling: the incidents slice makes it canonical. */
  target: z.string().max(2048).optional(),
  /** CIDR; correlation anchor. Private ones join only within `site`. */
  prefix: z.string().max(64).optional(),
  site: z.string().max(128).optional(),
  /** `test.id`, `runner.id`, `service.name`, `cause` ...: what a page needs to lead on. */
  attributes: z.record(z.string().max(128), z.string().max(1024)),
  occurred_at: z.iso.datetime(),
  /** Names the episode's subject: while one with it has not recovered, raising it again moves `last_seen_at` and opens nothing. */
  dedup_key: z.string().min(1).max(256),
  /** The episode has ended. */
  recovered: z.boolean().default(false),
  /** Held back: measured in a maintenance window; kept and shown, opens no incident. */
  held_back: z.string().max(200).optional(),
});
export type RaisedSignal = z.input<typeof RaisedSignal>;

export const Signal = z.object({
  id: z.uuid(),
  plane: z.enum(PLANES),
  kind: z.enum(SIGNAL_KINDS),
  severity: z.enum(SEVERITIES),
  title: z.string(),
  summary: z.string(),
  target: z.string().nullable(),
  prefix: z.string().nullable(),
  site: z.string().nullable(),
  attributes: z.record(z.string(), z.string()),
  occurred_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime(),
  recovered_at: z.iso.datetime().nullable(),
  held_back: z.string().nullable(),
  incident_id: z.uuid().nullable(),
  /** Why it is in its incident: `opened`, `same target`, `prefix covers the address`, ... */
  joined_by: z.string().nullable(),
});
export type Signal = z.infer<typeof Signal>;
