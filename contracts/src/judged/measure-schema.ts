import { z } from 'zod';
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
