import { z } from 'zod';
import { permitted, router } from '#api';
import type { Ctx } from '#kernel';

const instant = z.iso.datetime();

/** Where this tenant's metrics go, and what became of them in the process that answers, since its start. Counts are points. */
export const ExportStatus = z.object({
  /** Null: nothing is sent. */
  endpoint: z.string().nullable(),
  protocol: z.enum(['grpc', 'http/protobuf']).nullable(),
  interval_seconds: z.int().nullable(),
  queued: z.int(),
  sent: z.int(),
  dropped: z.int(),
  last_sent_at: instant.nullable(),
  last_error: z.object({ at: instant, words: z.string() }).nullable(),
});
export type ExportStatus = z.infer<typeof ExportStatus>;

/** `words`: what came back, of the collector or of the network. */
export const TestPointAnswer = z.object({ ok: z.boolean(), words: z.string(), took_ms: z.int() });
export type TestPointAnswer = z.infer<typeof TestPointAnswer>;

export interface ExportVerbs {
  status(ctx: Ctx): ExportStatus;
  sendTestPoint(ctx: Ctx): Promise<TestPointAnswer>;
}

/** `otlpExport.*` over tRPC. */
export const createExportProcedures = (verbs: ExportVerbs) =>
  router({
    status: permitted('otlp.read')
      .input(z.object({}))
      .output(ExportStatus)
      .query(({ ctx }) => verbs.status(ctx)),
    /** Sends `svc.export.test` = 1 at once, beside the queue. `rate_limited` while the tenant's last one is under way. */
    sendTestPoint: permitted('settings.write')
      .input(z.object({}))
      .output(TestPointAnswer)
      .mutation(({ ctx }) => verbs.sendTestPoint(ctx)),
  });
