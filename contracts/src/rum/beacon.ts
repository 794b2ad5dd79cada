import { z } from 'zod';
import { BROWSERS } from './kinds.ts';

/** The beacon, schema version 1 (docs/contract/rum.md): a field that is not here refuses it. */

const milliseconds = z.number().min(0).max(600_000).optional();
const count = z.int().min(0).max(10_000).default(0);

export const BeaconVitals = z.strictObject({
  ttfb_ms: milliseconds,
  fcp_ms: milliseconds,
  lcp_ms: milliseconds,
  inp_ms: milliseconds,
  load_ms: milliseconds,
  cls: z.number().min(0).max(1000).optional(),
});

/** `host` is made canonical and `page` normalised by the server after it was parsed. */
export const Beacon = z.strictObject({
  v: z.literal(1),
  key: z.string().min(1).max(128),
  consent: z.literal(true),
  host: z.string().min(1).max(253),
  page: z.string().min(1).max(4096),
  browser: z.enum(BROWSERS).default('other'),
  vitals: BeaconVitals.default({}),
  errors: count,
  failed_requests: count,
  sdk: z.string().max(32).optional(),
});
export type Beacon = z.infer<typeof Beacon>;
