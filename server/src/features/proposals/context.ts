import type { ProposalAuthor } from '@svc/contracts/proposals/proposal';
import type { TestSpec } from '@svc/contracts/tests/test';
import type { TestType } from '@svc/contracts/tests/test-types';
import type { WrittenTest } from '@svc/contracts/tests/written-test';
import type { FastifyBaseLogger } from 'fastify';
import type { ZodType } from 'zod';
import type { AuditEntry, Clock, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { Observation } from './domain/rank-places.ts';

export type { Observation } from './domain/rank-places.ts';

/** Names that a request may use, out of the tenant's own data. */
export interface KnownNames {
  tests: readonly { name: string; type: TestType; target: string }[];
  places: readonly { name: string; kind: 'app' | 'service' | 'host'; hosts: readonly string[] }[];
  runners: readonly { id: string; name: string; labels: Readonly<Record<string, string>>; site?: string | undefined }[];
}

export interface DraftTest {
  test: WrittenTest;
  fields: Readonly<Record<string, 'asked' | 'inferred'>>;
  reasons: Readonly<Record<string, string>>;
  rationale: string;
}

export type AuthoredTests =
  | { drafts: readonly DraftTest[] }
  | { choices: readonly (readonly DraftTest[])[]; question: string }
  | { missing: readonly string[]; examples: readonly string[] };

/** A request as a model may see it. */
export interface HiddenText {
  text: string;
  targets: readonly { mark: string; kind: 'url' | 'host' | 'address'; value: string }[];
  runners: readonly { mark: string; id: string }[];
  /** How many credentials were cut out of it. */
  secrets: number;
  fault?: string;
}

/** The model that may be asked, if there is one. */
export interface ModelThread {
  describe(tenant: TenantId): Promise<object | undefined>;
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

/** What compose/ gives to `createProposals`. */
export interface ProposalsDeps {
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  /** The author without a model: no look-up, no store. */
  authorTests: (prompt: string, known: KnownNames) => AuthoredTests;
  hideTargets: (prompt: string, known: KnownNames) => HiddenText;
  model: ModelThread;
  /** Texts as they may leave this server. */
  mask: (tenant: TenantId, texts: readonly string[]) => Promise<readonly { text: string }[]>;
  knownNames: (tenant: TenantId) => Promise<KnownNames>;
  knownTests: (tenant: TenantId) => Promise<KnownNames['tests']>;
  /** Devices that bear one of these names, in lower case. */
  devicesNamed: (tenant: TenantId, names: readonly string[]) => Promise<KnownNames['places']>;
  /** What every plane saw of hosts, lately and bounded. */
  observe: (tenant: TenantId) => Promise<readonly Observation[]>;
  /** Why this product's own runner may not reach a host that is an address or a name of this machine; undefined: it may. */
  refuseHost: (host: string) => string | undefined;
  /** AppError `validation` for expressions and JSON paths that no runner could read. */
  demandPatterns: (spec: TestSpec) => void;
  clock: Clock;
  log: FastifyBaseLogger;
}

export interface Outcome {
  author: ProposalAuthor;
  /** Of what was proposed; none where nothing was. */
  tests: readonly Pick<WrittenTest, 'type' | 'target'>[];
}
