import { createHash } from 'node:crypto';
import type { RowsOfTable, TenantId } from '#kernel';
import { type Relational, readPages, type TenantSql } from '#relational';
import { type CheckpointSigner, readCheckpoint } from './checkpoint.ts';
import type { Standing } from './domain/known-head.ts';
import type { ChainPlace, ChainRow } from './domain/walk-chain.ts';

const MAX_SEQ = 2n ** 63n - 1n;

export interface AuditFilter {
  fromMs?: number | undefined;
  /** Exclusive. */
  toMs?: number | undefined;
  actor?: string | undefined;
  /** `member.invite`, or `member` for all of its verbs. */
  action?: string | undefined;
  /** Entries older than this place. */
  beforeSeq?: bigint | undefined;
}

/** The hashed text of an entry, parsed. */
export interface EntryBody {
  at_ms: number;
  actor: { kind: 'account' | 'api_token' | 'agent' | 'system'; id: string };
  action: string;
  object?: { type: string; id: string };
  detail?: Record<string, string | number | boolean>;
  /** Hash of what the change replaced and with what, which is kept beside the trail: values.ts. */
  values?: string;
}

export interface StoredEntry {
  seq: bigint;
  id: string;
  hash: Buffer;
  body: EntryBody;
}

/** Hash of an entry in its place; the trigger audit_chain_entry() computes the same in SQL. */
export function hashEntry(prevHash: Buffer, seq: bigint, body: string): Buffer {
  const place = Buffer.alloc(8);
  place.writeBigInt64BE(seq);
  return createHash('sha256').update(prevHash).update(place).update(body, 'utf8').digest();
}

/** Where a tenant's chain begins. */
export const genesis = (tenant: TenantId): ChainPlace => ({
  seq: 0n,
  hash: createHash('sha256').update(tenant, 'utf8').digest(),
});

/** Newest first; at most `limit` entries. */
export async function listEntries(sql: TenantSql, filter: AuditFilter, limit: number): Promise<StoredEntry[]> {
  const values: unknown[] = [];
  const conditions = ['seq IS NOT NULL'];
  const add = (condition: (place: string) => string, value: unknown) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  if (filter.fromMs !== undefined) add((place) => `at_ms >= ${place}`, filter.fromMs);
  if (filter.toMs !== undefined) add((place) => `at_ms < ${place}`, filter.toMs);
  if (filter.actor !== undefined) add((place) => `actor_id = ${place}`, filter.actor);
  if (filter.action !== undefined) {
    add((place) => (filter.action?.includes('.') ? `action = ${place}` : `starts_with(action, ${place} || '.')`), filter.action);
  }
  if (filter.beforeSeq !== undefined) add((place) => `seq < ${place}`, filter.beforeSeq.toString());
  values.push(limit);
  const { rows } = await sql.query<{ seq: string; id: string; body: string; hash: Buffer }>(
    `SELECT seq, id, body, hash FROM audit_entries WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT $${values.length}`,
    values,
  );
  return rows.map((row) => ({ seq: BigInt(row.seq), id: row.id, hash: row.hash, body: JSON.parse(row.body) as EntryBody }));
}

/** The place the tenant's head names; undefined before the first entry. */
export async function readHead(sql: TenantSql): Promise<ChainPlace | undefined> {
  const { rows } = await sql.query<{ seq: string; hash: Buffer }>('SELECT seq, hash FROM audit_heads');
  return rows[0] && { seq: BigInt(rows[0].seq), hash: rows[0].hash };
}

/** The chain's end, the hash of its entry at `seq` and how far it was removed, all of one moment. */
export async function readStanding(sql: TenantSql, tenant: TenantId, seq: bigint): Promise<Standing> {
  const { rows } = await sql.query<{ seq: string; hash: Buffer; hash_at: Buffer | null; removed: string | null }>(
    `SELECT h.seq, h.hash, (SELECT e.hash FROM audit_entries e WHERE e.seq = $1) AS hash_at,
            (SELECT max(c.seq) FROM audit_checkpoints c) AS removed FROM audit_heads h`,
    [seq.toString()],
  );
  const row = rows[0];
  return {
    head: row ? { seq: BigInt(row.seq), hash: row.hash } : genesis(tenant),
    hashAtKnown: row?.hash_at ?? undefined,
    removedSeq: BigInt(row?.removed ?? 0),
  };
}

/** At most `limit` entries after `after` and up to `upTo`, in order of their place. */
export async function readChunk(sql: TenantSql, after: bigint, window: { upTo: bigint; limit: number }): Promise<ChainRow[]> {
  const { rows } = await sql.query<{ seq: string; id: string; body: string; prev_hash: Buffer | null; hash: Buffer | null }>(
    'SELECT seq, id, body, prev_hash, hash FROM audit_entries WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3',
    [after.toString(), window.upTo.toString(), window.limit],
  );
  return rows.map((row) => ({ seq: BigInt(row.seq), id: row.id, body: row.body, prevHash: row.prev_hash, hash: row.hash }));
}

/** Entries outside the chain: none can be there unless somebody with the owner's rights put them. */
export async function countUnchained(sql: TenantSql): Promise<number> {
  const { rows } = await sql.query<{ n: string }>(
    `SELECT count(*) AS n FROM audit_entries WHERE seq IS NULL OR seq < 1 OR seq > coalesce((SELECT h.seq FROM audit_heads h), 0)
       OR seq <= (SELECT max(c.seq) FROM audit_checkpoints c)`,
  );
  return Number(rows[0]?.n ?? 0);
}

/** The place of the first entry after `after`; undefined when there is none. */
export async function findNextSeq(sql: TenantSql, after: bigint): Promise<bigint | undefined> {
  const { rows } = await sql.query<{ seq: string }>('SELECT seq FROM audit_entries WHERE seq > $1 ORDER BY seq LIMIT 1', [
    after.toString(),
  ]);
  return rows[0] && BigInt(rows[0].seq);
}

const EXPORT_ROWS = 1000;
const VALUES = { table: 'audit_values', columns: ['entry_id', 'agent_id', 'before', 'after'], key: ['entry_id'] } as const;

/** The checkpoint that a tenant's trail follows, with the key to check it by, the whole trail, oldest first, and its values, for its export. */
export async function* exportAuditRows(
  { relational, signer }: { relational: Pick<Relational, 'withTenantSql'>; signer: Pick<CheckpointSigner, 'publicKey'> },
  tenant: TenantId,
): AsyncIterable<RowsOfTable> {
  const checkpoint = await relational.withTenantSql(tenant, readCheckpoint);
  if (checkpoint) {
    const { seq, hash, entries, atMs, signature } = checkpoint;
    const row = {
      seq: seq.toString(),
      hash: hash.toString('hex'),
      entries: entries.toString(),
      at_ms: atMs,
      signature: signature.toString('base64'),
      public_key: (await signer.publicKey())?.toString('base64'),
    };
    yield { table: 'audit_checkpoints', rows: [row] };
  }
  let after = checkpoint?.seq ?? 0n;
  for (;;) {
    const window = { upTo: MAX_SEQ, limit: EXPORT_ROWS };
    const from = after;
    const rows = await relational.withTenantSql(tenant, (sql) => readChunk(sql, from, window));
    const last = rows.at(-1);
    if (!last) break;
    yield {
      table: 'audit_entries',
      rows: rows.map((row) => ({
        seq: row.seq.toString(),
        body: JSON.parse(row.body) as unknown,
        hash: row.hash?.toString('hex'),
      })),
    };
    after = last.seq;
  }
  for await (const rows of readPages(relational, tenant, VALUES)) yield { table: VALUES.table, rows };
}
