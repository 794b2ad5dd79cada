import { z } from 'zod';
import { INCIDENT_STATES } from '../incidents/incident.ts';
import { PLANES, SEVERITIES } from '../incidents/signal.ts';
import type { Verb } from './kinds.ts';

/** What a signed webhook of a tenant's own receives (docs/notify/webhook.md). Fields are added, never taken away or changed. */

export const INCIDENT_EVENT_TYPES = {
  open: 'incident.opened',
  update: 'incident.updated',
  acknowledge: 'incident.acknowledged',
  resolve: 'incident.resolved',
  reopen: 'incident.reopened',
} as const satisfies Record<Verb, string>;

export const IncidentEvent = z.object({
  type: z.enum(INCIDENT_EVENT_TYPES),
  version: z.literal(1),
  /** When it happened here; `webhook-timestamp` says when this attempt was made. */
  timestamp: z.iso.datetime(),
  /** `svc-<incident id>`, the `external_ref` of an inbound resolve. */
  key: z.string(),
  /** Counts how often the incident was opened at this receiver. */
  generation: z.int().min(1),
  /** A connector's test: no incident. */
  test: z.boolean(),
  /** An earlier attempt may have arrived: its `webhook-id` is the same. */
  possible_repeat: z.boolean(),
  /** What happened, in plain words; empty where the type says it all. */
  words: z.string(),
  incident: z.object({
    id: z.string(),
    number: z.int(),
    status: z.enum(INCIDENT_STATES),
    severity: z.enum(SEVERITIES),
    title: z.string(),
    target: z.string().nullable(),
    prefix: z.string().nullable(),
    site: z.string().nullable(),
    planes: z.array(z.enum(PLANES)),
    signal_count: z.int(),
    url: z.string(),
    started_at: z.iso.datetime(),
    resolved_at: z.iso.datetime().nullable(),
  }),
});
export type IncidentEvent = z.infer<typeof IncidentEvent>;
