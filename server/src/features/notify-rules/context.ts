import type { AuditEntry, Clock, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { JudgedIncident } from './domain/rules.ts';

/** An incident that a rule is shown over. */
export interface RecentIncident extends JudgedIncident {
  id: string;
  number: number;
  title: string;
  openedAt: Date;
  recoveredAt: Date | null;
  acknowledgedAt: Date | null;
  resolvedAt: Date | null;
}

/** What compose/ gives to `createNotifyRules`. */
export interface RulesDeps {
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  /** Names of people and tokens by id; who is erased has none. */
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** By id, those of the transaction's tenant. */
  knownConnectors: (sql: TenantSql) => Promise<ReadonlyMap<string, unknown>>;
  /** The newest incidents. */
  readRecent: (sql: TenantSql, limit: number) => Promise<RecentIncident[]>;
  clock: Clock;
}
