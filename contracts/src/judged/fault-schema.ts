import { z } from 'zod';
import { FAULT_KINDS } from '../fault-kinds.ts';
import { LAYERS } from '../verdict.ts';
import { type Coverage, type FaultFact, MAX_CODE, MAX_TARGET } from './fault.ts';

/** A fault as it crosses the API and the agent's socket. */
export const FaultFactSchema: z.ZodType<FaultFact> = z.object({
  kind: z.enum(FAULT_KINDS),
  target: z.string().max(MAX_TARGET).nullable(),
  code: z.string().max(MAX_CODE).nullable(),
  value: z.number().nullable(),
  usual: z.number().nullable(),
  hop: z.int().min(1).max(64).nullable(),
  hops: z.int().min(1).max(64).nullable(),
});

export const CoverageSchema: z.ZodType<Coverage> = z.object({
  measured: z.array(z.enum(LAYERS)),
  needed: z.array(z.enum(LAYERS)),
  measuring: z.array(z.enum(LAYERS)).optional(),
});
