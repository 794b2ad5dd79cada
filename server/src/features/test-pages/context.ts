import type { Plane, RaisedSignal, SignalKind } from '@svc/contracts/incidents/signal';
import type { TestSettings } from '@svc/contracts/tests/keeping';
import type { Phase, RunReport } from '@svc/contracts/tests/run-report';
import type { KnownRunner } from '@svc/contracts/tests/runner';
import type { Test, TestSpec } from '@svc/contracts/tests/test';
import type { FastifyBaseLogger } from 'fastify';
import type { AuditEntry, Clock, TenantId } from '#kernel';
import type { Fence, Relational, TenantSql } from '#relational';
import type { RunsOfTests } from './runs-port.ts';

/** What a maintenance window may be for. */
export interface Subject {
  testId?: string | undefined;
  target?: string | undefined;
  site?: string | undefined;
}

/** Unix milliseconds; the end is no part of it. */
export interface Span {
  fromMs: number;
  toMs: number;
}

export interface Pause {
  testId: string;
  fromMs: number;
  toMs: number | undefined;
}

export interface Rhythms {
  pauses: readonly Pause[];
  /** By id: since when interval and choice of runners are what they are; of a test that is not in it since it was made. */
  scheduledAtMs: ReadonlyMap<string, number>;
}

/** What this slice asks of what is tested. */
export interface TestsThread {
  /** All tests of a tenant, by name. */
  read(tenant: TenantId): Promise<{ list: readonly Test[]; byId: ReadonlyMap<string, Test> }>;
  /** One of them; the others are not read for it. */
  find(tenant: TenantId, id: string): Promise<Test | undefined>;
  settingsOf(tenant: TenantId): Promise<TestSettings>;
  /** Tells whether a maintenance window of the tenant covers a subject at a time. */
  maintainedOf(tenant: TenantId): Promise<(subject: Subject, atMs: number) => boolean>;
  /** Tells when maintenance windows of the tenant cover a subject within a stretch of time. */
  maintainedWithin(tenant: TenantId, within: Span): Promise<(subject: Subject) => readonly Span[]>;
  /** Ids of those of a tenant's tests that the rates of tenant or host leave no room for, with so many runners. */
  heldBackByRate(tenant: TenantId, tests: readonly Test[], runners: number): ReadonlySet<string>;
  /** Those that it found last of a tenant. */
  knownHeldBack(tenant: TenantId): ReadonlySet<string>;
  /** `validation` for expressions and JSON paths that no runner could read. */
  demandPatterns(spec: TestSpec): void;
  /** When some tests were to run, as far as it touches what comes after a time. */
  rhythmsOf(tenant: TenantId, testIds: readonly string[], since: Date): Promise<Rhythms>;
  /** Told of a tenant whose tests, windows or thresholds changed; undefined: of every tenant. Gives what ends it. */
  onChanged(listener: (tenant: TenantId | undefined) => void): () => void;
}

/** What this slice asks of the incidents. */
export interface SignalsThread {
  /** All that fails in a scope, as one evaluation found it: opens, goes on and ends. Idempotent, and refused without the lease. */
  settle(
    tenant: TenantId,
    scope: { plane: Plane; kind: SignalKind; scope: string; fence: Fence },
    present: readonly RaisedSignal[],
  ): Promise<void>;
  /** What fails now of one kind. */
  openKeys(
    tenant: TenantId,
    kind: SignalKind,
  ): Promise<
    readonly {
      dedupKey: string;
      attributes: Readonly<Record<string, string>>;
      incident: { id: string; number: number } | null;
    }[]
  >;
}

/** What compose/ gives to `createTestPages`. */
export interface TestPagesDeps {
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  tests: () => TestsThread;
  /** The tenant's runners, the built-in one among them. */
  listRunners: (tenant: TenantId) => Promise<readonly KnownRunner[]>;
  /** Runs a test once, on demand; AppError where its runner is not there or not connected. */
  runOnce: (
    tenant: TenantId,
    wanted: { test: Test; runner_id: string; dry_run: boolean },
    onProgress: (phase: Phase, ms: number) => void,
  ) => Promise<RunReport>;
  /** What was done to a thing, the newest first, as the trail has it. */
  readChanges: (
    tenant: TenantId,
    of: { type: string; id: string; limit: number },
  ) => Promise<readonly { at: string; actor: string; action: string; what: string }[]>;
  runs: RunsOfTests;
  signals: SignalsThread;
  clock: Clock;
  log: FastifyBaseLogger;
}
