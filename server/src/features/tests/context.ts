import type { Evidence } from '@svc/contracts/tests/run-report';
import type { RunnerFacts } from '@svc/contracts/tests/runner';
import type { Test } from '@svc/contracts/tests/test';
import type { TestRow } from '@svc/contracts/tests/views';
import type { FastifyBaseLogger } from 'fastify';
import type { Sealer } from '#crypto';
import type { AuditEntry, Clock, ConfigOf, Ctx, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { testKeys } from './config.ts';
import type { PatternChecks } from './domain/pattern-faults.ts';
import type { TestCache } from './plan.ts';
import type { WindowCache } from './window-cache.ts';

/** What compose/ gives to `createTests`. */
export interface TestsDeps<Pages extends object = object> {
  relational: Relational;
  sealer: Sealer;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  /** The tenant's runners, the built-in one among them. */
  listRunners: (tenant: TenantId) => Promise<readonly RunnerFacts[]>;
  /** Names of people and tokens, of those that have one. */
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** A test as lists show it. */
  readRow: (ctx: Ctx, of: Test) => Promise<TestRow>;
  storeEvidence: (
    tenant: TenantId,
    of: { result_id: string; test_id: string; runner_id: string; started_at: string; evidence: Evidence },
  ) => Promise<void>;
  /** Procedures of what tests come to, called beside those of this slice. */
  pages: Pages;
  patterns: PatternChecks;
  bounds: ConfigOf<typeof testKeys>;
  clock: Clock;
  log: FastifyBaseLogger;
}

export interface TestsContext extends Omit<TestsDeps, 'pages'> {
  cache: TestCache;
  windows: WindowCache;
}
