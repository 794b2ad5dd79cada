import type { EvidenceQuestion, PlaneEvidence } from '@svc/contracts/causes/facts';
import type { DataCategory } from '@svc/contracts/governance/classes';
import type { Plane, SignalKind } from '@svc/contracts/incidents/kinds';
import type { FastifyBaseLogger } from 'fastify';
import type { ZodType } from 'zod';
import type { AuditEntry, Clock, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';

/** An incident as it is explained. */
export interface ExplainedIncident {
  id: string;
  number: number;
  status: 'open' | 'acknowledged' | 'resolved';
  target: string | null;
  prefix: string | null;
  site: string | null;
  started_at: Date;
  resolved_at: Date | null;
  /** The oldest first, bounded. */
  signals: readonly ExplainedSignal[];
  /** Of devices at the same site and time, whichever incident they are in. */
  nearby: readonly ExplainedSignal[];
}

export interface ExplainedSignal {
  plane: Plane;
  kind: SignalKind;
  site: string | null;
  attributes: Readonly<Record<string, string>>;
  occurred_at: Date;
}

export type FindEvidence = (tenant: TenantId, question: EvidenceQuestion) => Promise<PlaneEvidence>;

/** The same where services are found that others are then asked about. */
export type FindMapEvidence = (
  tenant: TenantId,
  question: EvidenceQuestion,
) => Promise<PlaneEvidence & { services: readonly string[] }>;

/** Who is asked for evidence; each slice offers its own, and knows none of the others. */
export interface EvidenceSources {
  tests: FindEvidence;
  /** Asked before those below, which are about services that it found. */
  map: FindMapEvidence;
  traces: FindEvidence;
  logs: FindEvidence;
  users?: FindEvidence | undefined;
  changes?: ((tenant: TenantId, question: EvidenceQuestion & { incidentId: string }) => Promise<PlaneEvidence>) | undefined;
}

/** The model that may be asked, if there is one. */
export interface ModelThread {
  describe(
    tenant: TenantId,
  ): Promise<{ provider: string; model: string; host: string; isLocal: boolean; mayAsk: boolean } | undefined>;
  /** AppError `egress_denied`, `rate_limited` or `unavailable`. */
  ask<Value>(
    tenant: TenantId,
    asking: {
      question: { system: string; prompt: string; maxOutputTokens: number };
      schema: ZodType<Value>;
      signal?: AbortSignal;
    },
  ): Promise<Value>;
}

export interface AskingDeps {
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  model: ModelThread;
  /** Texts as they may leave this server. */
  mask: (
    tenant: TenantId,
    texts: readonly string[],
  ) => Promise<readonly { text: string; counts: Readonly<Partial<Record<DataCategory, number>>> }[]>;
}

/** What compose/ gives to `createCauses`. */
export interface CausesDeps extends AskingDeps {
  /** AppError `not_found` for one that is not this tenant's. `isAsked`: by a request, on the tenant's connections. */
  readIncident: (tenant: TenantId, of: { id: string; isAsked: boolean }) => Promise<ExplainedIncident>;
  sources: () => EvidenceSources;
  clock: Clock;
  log: FastifyBaseLogger;
}
