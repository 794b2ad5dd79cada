import { z } from 'zod';
import { DATA_CATEGORIES, DATA_CLASSES } from './classes.ts';

/** What holds for a tenant's data, as `GET /v1/governance` gives it (docs/privacy.md). */
export const GovernanceView = z.object({
  /** Other classes than the usual ones. */
  classification: z.partialRecord(z.enum(DATA_CATEGORIES), z.enum(DATA_CLASSES)),
  /** From this class on data is masked where it is redacted. */
  redact_from: z.enum(DATA_CLASSES),
  redact_export: z.boolean(),
  /** Whether summaries of telemetry may be sent to a model that runs elsewhere. */
  ai_remote_egress: z.boolean(),
  updated_at: z.iso.datetime().nullable(),
});
export type GovernanceView = z.infer<typeof GovernanceView>;
