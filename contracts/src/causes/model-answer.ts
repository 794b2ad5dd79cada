import { z } from 'zod';
import { DATA_CATEGORIES } from '../governance/classes.ts';

/** What a model is asked about an incident, and what of its answer holds (docs/contract/causes.md). */

/** Exactly what would be sent. */
export const ModelPreview = z.object({
  incident_id: z.uuid(),
  /** Of the explanation that it is made of; sending takes it again. */
  version: z.int(),
  configured: z.boolean(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  host: z.string().nullable(),
  /** Whether it runs on the server's own machine, so that nothing leaves it. */
  is_local: z.boolean(),
  /** Whether it may be asked: it is local, or the tenant has consented. */
  may_ask: z.boolean(),
  system: z.string(),
  prompt: z.string(),
  /** How often each category of data was masked in it. */
  masked: z.array(z.object({ category: z.enum(DATA_CATEGORIES), count: z.int() })),
});
export type ModelPreview = z.infer<typeof ModelPreview>;

export const AskModel = z.object({ id: z.uuid(), version: z.int().min(1) });

export const ModelAnswer = z.object({
  incident_id: z.uuid(),
  version: z.int(),
  provider: z.string(),
  model: z.string(),
  /** Each with the ids of the evidence that it cites, all of which are there. */
  sentences: z.array(z.object({ text: z.string(), evidence: z.array(z.string()) })),
  /** Sentences that were not kept: they cited nothing that is there, linked somewhere, or were in another language. */
  dropped: z.int(),
});
export type ModelAnswer = z.infer<typeof ModelAnswer>;
