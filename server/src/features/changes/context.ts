import type { ChangeProvider } from '@svc/contracts/changes/kinds';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import type { Sealer } from '#crypto';
import type { Anchor, AuditEntry, Clock, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { ConfiguredWebhook } from '#webhooks';

/** What of an incident its changes are looked for by. */
export interface IncidentAbout {
  id: string;
  startedAt: Date;
  /** Of its own and its signals' targets and prefixes, and of what data say of these. */
  anchors: readonly Anchor[];
}

/** What compose/ gives to `createChanges`. */
export interface ChangesDeps {
  relational: Relational;
  bus: Bus;
  sealer: Sealer;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  ensureTenant: (tenant: TenantId) => Promise<void>;
  /** Names of people and tokens by id; who is erased has none. */
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** AppError `not_found` for one that is not this tenant's. */
  describeIncident: (sql: TenantSql, id: string) => Promise<IncidentAbout>;
  /** In the transaction in which a person judges a change of an incident: what explains the incident is told. */
  noteJudged: (sql: TenantSql, incident: string, at: Date) => Promise<void>;
  configured: readonly ConfiguredWebhook<ChangeProvider>[];
  /** How long before an incident a change may have caused it. */
  windowMs: number;
  /** Where deliveries are sent to: https://host[:port]. */
  publicUrl: string;
  clock: Clock;
  log: FastifyBaseLogger;
}
