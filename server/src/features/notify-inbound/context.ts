import type { NewsOutcome } from '@svc/contracts/notify/inbound';
import type { InboundProvider } from '@svc/contracts/notify/kinds';
import type { FastifyBaseLogger } from 'fastify';
import type { Sealer } from '#crypto';
import type { AuditEntry, Clock, NativeReaders, ObjectNews, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { ConfiguredWebhook } from '#webhooks';

/** What came of news, as the slice that keeps links says it. `waiting`: it may name what is being opened there just now. */
export interface NewsResult {
  outcome: NewsOutcome;
  incident: string | null;
}

/** What compose/ gives to `createNotifyInbound`. */
export interface InboundDeps {
  relational: Relational;
  sealer: Sealer;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  ensureTenant: (tenant: TenantId) => Promise<void>;
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Ids and names of the tenant's connectors of a provider. */
  listConnectors: (tenant: TenantId, provider: InboundProvider) => Promise<{ id: string; name: string }[]>;
  /** Does here what was done there; idempotent. */
  takeNews: (
    tenant: TenantId,
    news: { provider: InboundProvider; connector: string | null; news: ObjectNews },
  ) => Promise<NewsResult>;
  /** Our keys behind an id of a provider; undefined: it cannot be asked. */
  askNames: (
    tenant: TenantId,
    of: { provider: InboundProvider; connector: string | null; id: string },
  ) => Promise<readonly string[] | undefined>;
  readers: NativeReaders;
  configured: readonly ConfiguredWebhook<InboundProvider>[];
  /** Where deliveries are sent to: https://host[:port]. */
  publicUrl: string;
  clock: Clock;
  log: FastifyBaseLogger;
}
