import type { FastifyBaseLogger } from 'fastify';
import { sha256 } from '#crypto';
import { type Clock, parseTenantId, type TenantId } from '#kernel';
import { findTenant, followRows, type Relational } from '#relational';
import type { ConfiguredToken } from './config.ts';
import { keepConfigured } from './store.ts';

/** The trigger of 0040_otlp_tokens sends it at commit; its payload says nothing. */
const CHANNEL = 'svc_otlp_tokens';

/** What is known of one token beside its hash. */
export interface TokenEntry {
  /** Id of its row; a token of SVC_OTLP_TOKENS has one too. */
  id: string;
  tenant: TenantId;
  expiresAtMs: number | null;
  revoked: boolean;
}

/** All tokens of this process: `hashes` holds 32 bytes each, in the order of `entries`. */
export interface TokenTable {
  hashes: Uint8Array;
  entries: readonly TokenEntry[];
}

interface DirectoryRow {
  token_hash: Buffer;
  tenant_id: string;
  token_id: string;
  configured: boolean;
  expires_at: Date | null;
  revoked_at: Date | null;
}

export interface RegistryDeps {
  relational: Relational;
  configured: readonly ConfiguredToken[];
  /** Makes a tenant unless it is there. */
  ensureTenant: (tenant: TenantId) => Promise<void>;
  clock: Clock;
  log: FastifyBaseLogger;
}

const keyOf = (hash: Uint8Array, tenant: string): string => `${Buffer.from(hash).toString('hex')}/${tenant}`;

/** The tokens that this process knows, read again whenever one changes on any replica. */
export function createTokenRegistry({ relational, configured, ensureTenant, clock, log }: RegistryDeps) {
  const own = new Set(configured.map(({ token, tenant }) => keyOf(sha256(token), tenant)));
  let table: TokenTable = { hashes: new Uint8Array(), entries: [] };
  let onTable = async (_table: TokenTable): Promise<void> => {};

  const load = async (): Promise<void> => {
    const rows = await relational.directory<DirectoryRow>('otlp_tokens', [new Date(clock.now())]);
    // A token of the configuration counts while it stands in that of this process.
    const counted = rows.filter((row) => !row.configured || own.has(keyOf(row.token_hash, row.tenant_id)));
    const hashes = Buffer.concat(counted.map(({ token_hash }) => token_hash));
    const entries = counted.map(
      (row): TokenEntry => ({
        id: row.token_id,
        tenant: parseTenantId(row.tenant_id),
        expiresAtMs: row.expires_at?.getTime() ?? null,
        revoked: row.revoked_at !== null,
      }),
    );
    if (hashes.equals(table.hashes) && JSON.stringify(entries) === JSON.stringify(table.entries)) return;
    table = { hashes, entries };
    await onTable(table);
  };

  const rows = followRows({ relational, channels: [CHANNEL], load, what: 'the OTLP tokens', log });

  return {
    table: () => table,
    /** Resolves when a read that began after this call has reached the receiver. */
    refresh: rows.refresh,
    /** Gives the tokens of the configuration their rows, reads all, and follows changes. */
    async start(): Promise<void> {
      for (const { token, tenant } of configured) {
        await ensureTenant(tenant);
        // The configuration outlives the tenant: a start must not fail on it, nor bring the tenant back.
        if (!(await findTenant(relational, tenant))) {
          log.warn({ tenant }, 'SVC_OTLP_TOKENS names a tenant that was erased: its token is refused; remove it');
          continue;
        }
        const now = new Date(clock.now());
        await relational.withTenantSql(tenant, (sql) => keepConfigured(sql, tenant, { token, now }));
      }
      await rows.start();
    },
    /** Where changed tokens go; awaited before whoever changed them is answered. */
    follow(take: (table: TokenTable) => Promise<void>): void {
      onTable = take;
    },
    /** Whether a token is among those that count here, revoked and expired ones too. */
    knows: (id: string): boolean => table.entries.some((entry) => entry.id === id),
    /** Tokens of a tenant that would be accepted now. */
    countValid: (tenant: TenantId): number =>
      table.entries.filter(
        (entry) => entry.tenant === tenant && !entry.revoked && (entry.expiresAtMs === null || entry.expiresAtMs > clock.now()),
      ).length,
    close: rows.close,
  };
}

export type TokenRegistry = ReturnType<typeof createTokenRegistry>;
