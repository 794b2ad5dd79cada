import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import type { AuditEntry, Clock, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { ConfiguredApp } from './config.ts';
import type { Counters } from './counters.ts';
import type { KeyRegistry } from './registry.ts';

/** One release of the script that pages load. */
export interface ScriptRelease {
  /** As the address names it. */
  hash: string;
  /** `sha384-...` */
  integrity: string;
  bytes: Buffer;
}

export interface RumConfig {
  /** Undefined: the surface opens with the first app. */
  enabled: boolean | undefined;
  apps: readonly ConfiguredApp[];
  ratePerMin: number;
  /** https://host[:port] that pages reach this server at. */
  publicUrl: string;
}

export interface PastTests {
  fromMs: number;
  host: string;
  passed: number;
  failed: number;
  failing: readonly { id: string; name: string; runs: number; failed: number }[];
}

/** Judges an app's hosts as of times that are over; gives how many stretches of a verdict there were. */
export type JudgePast = (
  tenant: TenantId,
  past: { app: string; fromMs: number; toMs: number; tests: readonly PastTests[] },
) => Promise<number>;

/** What compose/ gives to `createRum`. */
export interface RumDeps<Pages extends object = object> {
  relational: Relational;
  bus: Bus;
  config: RumConfig;
  /** The newest last; all of them are served. */
  releases: readonly ScriptRelease[];
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  ensureTenant: (tenant: TenantId) => Promise<void>;
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Procedures of what views come to, called beside those of this slice. */
  pages: Pages;
  /** In the demo's build alone: what judges a time that is over. */
  judgePast?: JudgePast | undefined;
  clock: Clock;
  log: FastifyBaseLogger;
}

export interface RumContext extends Omit<RumDeps, 'pages'> {
  registry: KeyRegistry;
  counters: Counters;
}
