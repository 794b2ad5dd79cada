import type { FastifyBaseLogger } from 'fastify';
import type { AuditEntry, Clock } from '#kernel';
import type { Relational, TenantSql } from '#relational';

/** What compose/ gives to `createGovernance`. */
export interface GovernanceDeps {
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  clock: Clock;
  log: FastifyBaseLogger;
}
