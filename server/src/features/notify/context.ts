import type { ProviderKind } from '@svc/contracts/notify/kinds';
import type { FastifyBaseLogger } from 'fastify';
import type { Sealer } from '#crypto';
import type { AuditEntry, Capabilities, Clock, Pace, Provider, TenantId, ToldIncident } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { ConfiguredConnector } from './config.ts';

/** An incident as it is now; its address is made here. */
export interface IncidentNow extends Omit<ToldIncident, 'url'> {
  openedAt: Date;
  openSignalCount: number;
  /** Since when none of its signals fails; null while one does. */
  recoveredAt: Date | null;
  /** What hurts in detail, as a sentence; empty: no signal that fails says more than the title. */
  cause: string;
}

/** What somebody did at a provider. */
export interface OutsideAct {
  incident: string;
  what: 'acknowledge' | 'resolve';
  /** `connector/<id>`. */
  actor: string;
  detail: string;
}

/** What compose/ gives to `createNotify`. */
export interface NotifyDeps {
  relational: Relational;
  sealer: Sealer;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  /** Names of people and tokens by id; who is erased has none. */
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  ensureTenant: (tenant: TenantId) => Promise<void>;
  /** Those of these that there are, as they are within the caller's transaction. */
  readIncidents: (sql: TenantSql, ids: readonly string[]) => Promise<IncidentNow[]>;
  /** By the rules of the transaction's tenant as they are now: who of these is told of an incident, and when. */
  readDecider: (
    sql: TenantSql,
  ) => Promise<
    (incident: IncidentNow, how: { connectors: readonly string[]; atMs: number }) => ReadonlyMap<string, { dueMs: number }>
  >;
  /** In a transaction of its own, of which observers are told; whether there was anything to do. */
  actFromOutside: (tenant: TenantId, act: OutsideAct) => Promise<boolean>;
  /** Those that there are. */
  providers: Readonly<Partial<Record<ProviderKind, Provider>>>;
  configured: readonly ConfiguredConnector[];
  /** Of the console: https://host[:port]. */
  publicUrl: string;
  /** How long a message may be on its way before another worker takes it up; for tests. */
  leaseMs?: number;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** Kept beside a connector, so that it is known without its secret. */
export interface Abilities {
  capabilities: Capabilities;
  pace: Pace;
}

/** Wakes those who send, on every replica, at commit. */
export const TELL = "SELECT pg_notify('svc_notify_outbox', current_setting('app.tenant_id'))";

export const keyOf = (incident: string): string => `svc-${incident}`;
