import type { FastifyBaseLogger } from 'fastify';
import type { Sealer } from '#crypto';
import type { AuditEntry, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { MaskTexts } from './domain/mask-leaves.ts';

/** What compose/ gives to `createMcp`. */
export interface McpDeps {
  relational: Pick<Relational, 'withTenantSql'>;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  /** Whether a tenant's data may go to a model elsewhere; false whenever that is not known. */
  mayLeave: (tenant: TenantId) => Promise<boolean>;
  /** Runs work with a signal that aborts when the consent is withdrawn. */
  whileConsented: <T>(tenant: TenantId, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Texts as they may leave this server. */
  mask: (tenant: TenantId, texts: readonly string[]) => ReturnType<MaskTexts>;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  /** What people call, https://host[:port]. */
  publicUrl: string;
  version: string;
  log: FastifyBaseLogger;
}
