import { z } from 'zod';
import { PROVIDERS, VERBS } from './kinds.ts';

/** What is said to connectors: `notify.outbox.*` and `/v1/notify/outbox`. */

/** `waiting` to be opened, `open` there, `resolved` there, `dropped` before anything was said, `gone`: deleted there. */
export const LINK_STATES = ['waiting', 'open', 'resolved', 'dropped', 'gone'] as const;
export type LinkState = (typeof LINK_STATES)[number];

/**
 * `waiting` for its turn or its next try; `confirming`: taken, and the provider is asked what became of it; `accepted`: taken, and nobody can
 * tell more; `sent`: the answer says it was done; `confirmed`: the provider said so later; `dead` after a day or for good; `held_back` by a
 * rule of behaviour; `dropped`: not needed any more; `given_up` by a person.
 */
export const MESSAGE_STATES = [
  'waiting',
  'confirming',
  'accepted',
  'sent',
  'confirmed',
  'dead',
  'held_back',
  'dropped',
  'given_up',
] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

export const OutboxMessage = z.object({
  id: z.uuid(),
  incident: z.object({ id: z.uuid(), number: z.int(), title: z.string() }),
  connector: z.object({ id: z.string(), name: z.string(), provider: z.enum(PROVIDERS) }),
  verb: z.enum(VERBS),
  /** The transition of the incident that it tells. */
  cause: z.string(),
  actor: z.object({ id: z.string(), name: z.string() }),
  state: z.enum(MESSAGE_STATES),
  /** Why it was held back, dropped or given up; empty otherwise. */
  why: z.string(),
  attempts: z.int(),
  /** Sent again although it may have been taken: there may be so many too many. */
  possible_repeats: z.int(),
  /** The provider's answer, in its words. */
  said: z.string(),
  dedup_key: z.string(),
  /** What the provider calls it, and its page there. */
  external: z.object({ label: z.string().nullable(), url: z.string().nullable() }).nullable(),
  created_at: z.iso.datetime(),
  tried_at: z.iso.datetime().nullable(),
  /** Of one that waits. */
  next_at: z.iso.datetime().nullable(),
  /** It is given up then. */
  expires_at: z.iso.datetime(),
  done_at: z.iso.datetime().nullable(),
});
export type OutboxMessage = z.infer<typeof OutboxMessage>;

export const OutboxQuery = z.object({
  state: z.array(z.enum(MESSAGE_STATES)).max(MESSAGE_STATES.length).optional(),
  connector: z.string().max(64).optional(),
  incident: z.uuid().optional(),
  limit: z.int().min(1).max(1000).default(100),
  cursor: z.string().max(200).optional(),
});
export type OutboxQuery = z.infer<typeof OutboxQuery>;

export const OutboxCounts = z.object({
  waiting: z.int(),
  dead: z.int(),
  held_back: z.int(),
  sent: z.int(),
  possible_repeats: z.int(),
});
export type OutboxCounts = z.infer<typeof OutboxCounts>;

export const OutboxList = z.object({
  items: z.array(OutboxMessage),
  next_cursor: z.string().nullable(),
  /** Of all messages that are kept, whatever the filter; `waiting` with those that are confirmed just now. */
  counts: OutboxCounts,
});

export const OfMessage = z.object({ id: z.uuid() });

/** Asked every few seconds by the navigation. */
export const NotifyPulse = z.object({
  dead: z.int(),
  waiting: z.int(),
  /** Connectors that somebody must look after: their credential is refused. */
  broken: z.int(),
  /** Connectors that do not answer. */
  failing: z.int(),
});
export type NotifyPulse = z.infer<typeof NotifyPulse>;

/** "paged PagerDuty 14:03, acknowledged there by Ada 14:05, ticket OPS-412 open". */
export const IncidentNotice = z.object({
  connector: z.object({ id: z.string(), name: z.string(), provider: z.enum(PROVIDERS) }),
  state: z.enum(LINK_STATES),
  external: z.object({ label: z.string().nullable(), url: z.string().nullable() }).nullable(),
  told_at: z.iso.datetime().nullable(),
  /** Of the open: what is known of whether it arrived. */
  told: z.enum(['waiting', 'accepted', 'sent', 'confirmed', 'dead', 'dropped']),
  acknowledged_at: z.iso.datetime().nullable(),
  /** Where it was acknowledged there: by whom, in the provider's word. */
  acknowledged_there_by: z.string().nullable(),
  resolved_at: z.iso.datetime().nullable(),
  /** It was resolved there first. */
  is_origin: z.boolean(),
  /** The message that waits or is dead, if any. */
  open_message: z
    .object({ verb: z.enum(VERBS), state: z.enum(MESSAGE_STATES), next_at: z.iso.datetime().nullable(), said: z.string() })
    .nullable(),
  note: z.string(),
  possible_repeats: z.int(),
});
export type IncidentNotice = z.infer<typeof IncidentNotice>;
export const IncidentNotices = z.object({ items: z.array(IncidentNotice) });
