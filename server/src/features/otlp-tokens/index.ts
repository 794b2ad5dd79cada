import type { FastifyBaseLogger } from 'fastify';
import { type AuditEntry, type Clock, EVERY_ROLE, type KeptData, type RowsOfTable, type Slice, type TenantId } from '#kernel';
import { eraseTables, type PagedTable, type Relational, readPages, type TenantSql } from '#relational';
import { createOtlpProcedures, type ReceiverFacts } from './api.ts';
import type { ConfiguredToken } from './config.ts';
import { createTokenRegistry } from './registry.ts';
import { hasTokens, mintToken } from './store.ts';
import { createUsage } from './usage.ts';
import { usageCounts } from './usage-counts.ts';

export { mintToken, nameTokens } from './store.ts';

export interface OtlpTokensDeps {
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  ensureTenant: (tenant: TenantId) => Promise<void>;
  nameActors: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  configured: readonly ConfiguredToken[];
  /** Of this process; asked once all slices are there. */
  receiver: {
    describe(): ReceiverFacts;
    /** Resolves when what was counted so far has been given to `addUse`. */
    report(): Promise<void>;
  };
  clock: Clock;
  log: FastifyBaseLogger;
}

// Hashes of tokens are no data of the tenant and stay here.
const TABLES: readonly PagedTable[] = [
  {
    table: 'otlp_tokens',
    columns: ['id', 'name', 'configured', 'created_by', 'created_at', 'expires_at', 'revoked_at', 'last_used_at'],
    key: ['id'],
  },
  { table: 'otlp_token_days', columns: ['token_id', 'day', 'requests', 'items', 'bytes'], key: ['token_id', 'day'] },
  { table: 'otlp_signals', columns: ['signal', 'first_at', 'last_at', 'items'], key: ['signal'] },
  { table: 'otlp_refusals', columns: ['day', 'reason', 'count', 'last_at', 'message', 'resource'], key: ['day', 'reason'] },
];

async function* exportTokens(
  relational: Relational,
  tenant: TenantId,
  settle: (tenant: TenantId) => Promise<void>,
): AsyncGenerator<RowsOfTable> {
  await settle(tenant);
  for (const table of TABLES) for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
}

const keepTokens = (relational: Relational, settle: (tenant: TenantId) => Promise<void>): KeptData => ({
  owns: { relational: [...TABLES.map(({ table }) => table), 'otlp_token_directory'] },
  exportRows: (tenant) => exportTokens(relational, tenant, settle),
  async eraseTenant(tenant) {
    await settle(tenant);
    return await eraseTables(relational, tenant, TABLES.toReversed());
  },
  // Who made a token stands there by an opaque id.
  eraseSubject: async () => ({}),
});

/** Who may send OpenTelemetry data and what they sent: tokens, their use, what was refused, and `otlp.*`. */
export function createOtlpTokens(deps: OtlpTokensDeps) {
  const { relational, appendAudit, receiver, clock, log } = deps;
  const registry = createTokenRegistry({
    ...{ relational, clock, log, ensureTenant: deps.ensureTenant },
    configured: deps.configured,
  });
  const usage = createUsage({ relational, clock, log });
  const settle = async (tenant: TenantId): Promise<void> => {
    await receiver.report();
    await usage.flush(tenant);
  };

  return {
    procedures: createOtlpProcedures({
      ...{ relational, appendAudit, clock, registry, usage, settle, describeReceiver: () => receiver.describe() },
      nameActors: deps.nameActors,
    }),
    name: 'otlp-tokens',
    roles: EVERY_ROLE,
    namespace: 'otlp' as const,
    /** Reads the tokens and follows them. */
    async start(): Promise<void> {
      await registry.start();
      usage.start();
    },
    /** For the receiver of the same process. */
    table: registry.table,
    follow: registry.follow,
    addUse: usage.add,
    /** A first token for a tenant that never had one, while something is received: it is in the answer and nowhere else. */
    async mintFirstToken(tenant: TenantId): Promise<string | undefined> {
      if (!receiver.describe().receives || (await relational.withTenantSql(tenant, hasTokens))) return undefined;
      const wish = { name: 'shown at the first start', expiresAt: undefined, actor: { kind: 'system' as const, id: 'start' } };
      const { token } = await mintToken({ relational, appendAudit, clock }, tenant, wish);
      await registry.refresh();
      return token;
    },
    counts: () => usageCounts(usage.totals()),
    data: keepTokens(relational, settle),
    /** Writes what was counted; after the receiver's. */
    async close(): Promise<void> {
      await registry.close();
      await usage.close();
    },
  } satisfies Slice & Record<string, unknown>;
}
