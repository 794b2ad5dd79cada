import { z } from 'zod';
import { CHANGE_KINDS, CHANGE_STATES, CHANGE_VERDICTS } from './kinds.ts';

/** Changes as `changes.*` and `GET /v1/changes` give them (docs/contract/changes.md). */

export const Change = z.object({
  id: z.uuid(),
  /** Counts per tenant; what people see and say. */
  number: z.int(),
  tenant_id: z.string(),
  source: z.string(),
  kind: z.enum(CHANGE_KINDS),
  title: z.string(),
  summary: z.string(),
  /** In the spelling of incidents' targets. */
  target: z.string().nullable(),
  prefix: z.string().nullable(),
  /** Whether the change named them, or the webhook's table did. */
  target_from: z.enum(['change', 'table']).nullable(),
  actor: z.string().nullable(),
  ref: z.string().nullable(),
  /** http or https, or null. */
  url: z.string().nullable(),
  attributes: z.record(z.string(), z.string()),
  repository: z.string().nullable(),
  environment: z.string().nullable(),
  occurred_at: z.iso.datetime(),
  received_at: z.iso.datetime(),
  state: z.enum(CHANGE_STATES).nullable(),
  finished_at: z.iso.datetime().nullable(),
  webhook_id: z.string(),
});
export type Change = z.infer<typeof Change>;

export const ChangeListQuery = z.object({
  /** Parts of title, summary, actor, ref, target, repository. */
  search: z.string().max(200).optional(),
  kind: z.array(z.enum(CHANGE_KINDS)).max(7).optional(),
  source: z.string().max(200).optional(),
  target: z.string().max(2048).optional(),
  /** A CIDR or an address: changes inside of it, around it and on it. */
  prefix: z.string().max(64).optional(),
  actor: z.string().max(200).optional(),
  webhook: z.string().max(64).optional(),
  /** Only those that correlate to nothing but untargeted incidents. */
  untargeted: z.boolean().optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  limit: z.int().min(1).max(1000).default(100),
  cursor: z.string().max(512).optional(),
});
export type ChangeListQuery = z.infer<typeof ChangeListQuery>;

export const ChangeList = z.object({ items: z.array(Change), next_cursor: z.string().nullable() });

/** What the timeline can be narrowed by, of the last 30 days, the most frequent first. */
export const ChangeFacets = z.object({ sources: z.array(z.string()), actors: z.array(z.string()) });

/** Marks on a chart: changes whose target is one of these. */
export const ChangeMarksQuery = z.object({
  targets: z.array(z.string().max(2048)).max(50).default([]),
  from: z.iso.datetime({ offset: true }),
  to: z.iso.datetime({ offset: true }),
});
export const ChangeMark = Change.pick({
  id: true,
  number: true,
  kind: true,
  title: true,
  target: true,
  prefix: true,
  occurred_at: true,
});
export type ChangeMark = z.infer<typeof ChangeMark>;
export const ChangeMarks = z.object({
  /** The newest, at most 200. */
  items: z.array(ChangeMark),
  total: z.int(),
});

export const Verdict = z.object({
  verdict: z.enum(CHANGE_VERDICTS),
  by: z.object({ id: z.string(), name: z.string() }),
  at: z.iso.datetime(),
});

export const TOPOLOGIES = ['same_target', 'inside_prefix', 'overlapping_prefixes', 'untargeted'] as const;

/** A change that may have caused an incident, with its score taken apart. */
export const Candidate = z.object({
  change: Change,
  /** 0 to 1. */
  score: z.number(),
  topology: z.object({ kind: z.enum(TOPOLOGIES), score: z.number(), why: z.string() }),
  recency: z.object({
    score: z.number(),
    /** Of the change before the start of the incident; negative: after it. */
    seconds_before: z.number(),
  }),
  /** `exact target 1.0 x 0.6 + 11 minutes before x 0.4 = 0.997` */
  sentence: z.string(),
  verdict: Verdict.nullable(),
});
export type Candidate = z.infer<typeof Candidate>;

export const IncidentChanges = z.object({
  /** The best first, at most 100. */
  items: z.array(Candidate),
  window: z.object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    hours: z.number(),
    grace_minutes: z.number(),
  }),
  looked_at: z.object({
    /** In the window, whatever their target. */
    changes: z.int(),
    candidates: z.int(),
    /** Dropped since they have another target. */
    elsewhere: z.int(),
    /** Dropped since they have none, and the incident has one. */
    untargeted: z.int(),
    /** True where only the newest candidates were ranked. */
    bounded: z.boolean(),
  }),
  /** What the incident was recognised by. */
  anchors: z.array(z.string()),
});
export type IncidentChanges = z.infer<typeof IncidentChanges>;

export const MarkChange = z.object({
  id: z.uuid(),
  change: z.uuid(),
  /** Null takes it back. */
  verdict: z.enum(CHANGE_VERDICTS).nullable(),
});
