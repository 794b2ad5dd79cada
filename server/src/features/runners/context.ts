import type { PlannedSecret } from '@svc/contracts/tests/plan';
import type { Evidence } from '@svc/contracts/tests/run-report';
import type { Test } from '@svc/contracts/tests/test';
import type { OpenRunner } from '@svc/runner/runner-handle';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import type { AuditEntry, Clock, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';

export interface KeptEvidence {
  result_id: string;
  test_id: string;
  runner_id: string;
  started_at: string;
  evidence: Evidence;
}

/** What the owner of the tests gives; its values of secrets stay in memory here and leave it sealed to a runner's key only. */
export interface TestsThread {
  /** All tests of a tenant, each with the secrets that it refers to. */
  planOf(tenant: TenantId): Promise<readonly { test: Test; secrets: readonly PlannedSecret[] }[]>;
  /** Hears of changes that any replica made; undefined: of any tenant. */
  onChanged(listener: (tenant: TenantId | undefined) => void): unknown;
  /** Idempotent on `result_id`. */
  storeEvidence?(tenant: TenantId, evidence: KeptEvidence): Promise<void>;
  /** Secrets that a test refers to which may not be saved at all (a dry run). */
  secretsOf?(tenant: TenantId, test: Test): Promise<readonly PlannedSecret[]>;
}

/** What compose/ gives to `createRunners`. */
export interface RunnersDeps {
  relational: Relational;
  bus: Pick<Bus, 'publish'>;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  /** Names of people and tokens, of those that have one. */
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  tests: () => TestsThread;
  /** The built-in one, opened at the first need. */
  openRunner: OpenRunner;
  /** Certificates of runners, by the authority of the agents' ones. */
  authority: {
    issue(runner: { tenant: TenantId; runnerId: string }, publicKey: Uint8Array): Promise<{ chain: string; notAfterMs: number }>;
    /** AppError `unauthorized` for a certificate that is none of a runner's. */
    identify(certificate: Buffer): Promise<{ tenant: TenantId; runnerId: string; notAfterMs: number }>;
  };
  /** host:port of the listener as runners reach it. */
  grpcAddr: string;
  /** PEM that its certificate is checked with; empty where the system's roots decide. */
  grpcCa: string;
  /** Enrolments a minute from one address; 0 disables the bound. */
  enrollRatePerMinute: number;
  /** The server's protocol version; injected so that tests can be two apart. */
  protocol?: number;
  /** Address that runners enrol at. */
  serverUrl: string;
  /** Base64url SHA-256 of the local CA's SubjectPublicKeyInfo; undefined where the system's roots decide. */
  pin: string | undefined;
  /** Of this build. */
  version: string;
  clock: Clock;
  log: FastifyBaseLogger;
}
