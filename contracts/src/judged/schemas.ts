import { z } from 'zod';
import { CAUSES } from '../verdict.ts';
import { ADVICE_CODES, type Advice } from './advice.ts';
import { type JudgedMeasure, MEASURES } from './measures.ts';

/** A judged measure as it crosses the API. */
export const JudgedMeasureSchema: z.ZodType<JudgedMeasure> = z.object({
  measure: z.enum(MEASURES),
  value: z.number(),
  limit: z.number(),
  samples: z.number().nullable(),
  failed: z.number().nullable(),
  target: z.string().nullable(),
});

const SharedPlaceSchema = z.object({
  affected: z.int(),
  of: z.int(),
  site: z.string(),
  gateway: z.string().nullable(),
  since: z.iso.datetime().nullable(),
});

/** Advice as it crosses the API. */
export const AdviceSchema: z.ZodType<Advice> = z.object({
  code: z.enum(ADVICE_CODES),
  cause: z.enum(CAUSES).nullable(),
  measure: JudgedMeasureSchema.nullable(),
  gateway: z.string().nullable(),
  target: z.string().nullable(),
  shared: SharedPlaceSchema.nullable(),
});
