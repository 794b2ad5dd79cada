import { AppError, type AuditEntry, actorOf, type Clock, type Ctx, type TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { TestPointAnswer } from './api.ts';
import { resourceMetricsOf } from './resource-metrics.ts';
import type { Sender } from './sender.ts';

export interface TestPointDeps {
  sender: Sender | undefined;
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  version: string;
  clock: Clock;
}

/** Sends one point at once and gives what came back; written to the audit before it goes, since what goes cannot be taken back. */
export function createSendTestPoint({ sender, relational, appendAudit, version, clock }: TestPointDeps) {
  const underWay = new Set<TenantId>();
  return async ({ principal }: Ctx): Promise<TestPointAnswer> => {
    const { tenant } = principal;
    if (underWay.has(tenant))
      throw new AppError('rate_limited', 'A test point is already being sent. Wait for its result.', { retryAfterSeconds: 1 });
    underWay.add(tenant);
    try {
      const entry: AuditEntry = { actor: actorOf(principal), action: 'metrics_export.test' };
      await relational.withTenantSql(tenant, (sql) => appendAudit(sql, entry));
      if (!sender) return { ok: false, words: 'Nothing is sent: SVC_OTLP_EXPORT_URL is not set.', took_ms: 0 };
      const point = { name: 'svc.export.test', unit: '1', value: 1, atMs: clock.now(), attributes: {} };
      const began = performance.now();
      const { ok, words } = await sender.send(resourceMetricsOf(tenant, [point], version));
      return { ok, words, took_ms: Math.round(performance.now() - began) };
    } finally {
      underWay.delete(tenant);
    }
  };
}
