import type { AuditEntry, Clock } from '#kernel';
import type { Relational, TenantSql } from '#relational';

/** What compose/ gives to `createSavedViews`. */
export interface SavedViewsDeps {
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  clock: Clock;
}
