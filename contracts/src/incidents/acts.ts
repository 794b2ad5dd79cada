import { z } from 'zod';
import { SEVERITIES } from './signal.ts';

/** What people do to incidents (docs/contract/incidents.md). */

export const OfIncident = z.object({ id: z.uuid() });

export const AssignIncident = OfIncident.extend({
  /** Account id of somebody of the tenant; null: nobody. */
  account: z.string().min(1).max(64).nullable(),
});

export const CommentIncident = OfIncident.extend({ text: z.string().trim().min(1).max(4000) });

export const SetIncidentSeverity = OfIncident.extend({
  /** Null: the highest of its signals' again. */
  severity: z.enum(SEVERITIES).nullable(),
});

/** The signals of `id` go into `into`. */
export const MergeIncident = OfIncident.extend({ into: z.uuid() });

export const RemoveSignal = OfIncident.extend({ signal: z.uuid() });

export const IncidentSettings = z.object({
  /** Minutes without a failing signal after which an incident resolves by itself; 0: never. */
  auto_resolve_minutes: z.int().min(0).max(10_080),
  /** Whether edges of the service map are watched. */
  edge_failing: z.boolean(),
});
export type IncidentSettings = z.infer<typeof IncidentSettings>;

/** What tells a page whether to ask again; asked every second or two. */
export const IncidentPulse = z.object({
  /** Open and acknowledged ones. */
  open: z.int(),
  /** Of them, those that nobody has acknowledged. */
  unacknowledged: z.int(),
  /** Another one after each change. */
  revision: z.string(),
});
export type IncidentPulse = z.infer<typeof IncidentPulse>;

export const SIGNAL_ORDERS = ['oldest', 'newest'] as const;
