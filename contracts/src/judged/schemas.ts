import { z } from 'zod';
import { CAUSES } from '../verdict.ts';
import { ADVICE_CODES, type Advice } from './advice.ts';
import { FaultFactSchema } from './fault-schema.ts';
import { JudgedMeasureSchema } from './measure-schema.ts';

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
  fault: FaultFactSchema.nullable(),
  gateway: z.string().nullable(),
  target: z.string().nullable(),
  shared: SharedPlaceSchema.nullable(),
});
