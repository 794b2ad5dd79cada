import { isSignedBy, newSigningKey, publicKeyOf, type Sealer, signText } from '#crypto';
import { AppError, type TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import { toCanonicalJson } from './domain/canonical-json.ts';

/** What stands where the oldest entries of a chain were removed. */
export interface Checkpoint {
  /** Place and hash of the last entry removed; the rest of the chain follows it. */
  seq: bigint;
  hash: Buffer;
  /** Entries removed with it. */
  entries: bigint;
  /** Unix milliseconds. */
  atMs: number;
  signature: Buffer;
}

type Unsigned = Omit<Checkpoint, 'signature'>;

export interface CheckpointSigner {
  sign(tenant: TenantId, checkpoint: Unsigned): Promise<Buffer>;
  /** Undefined for a checkpoint that this server signed for this tenant, else why it is not, for a person. */
  findFault(tenant: TenantId, checkpoint: Checkpoint): Promise<string | undefined>;
  /** SubjectPublicKeyInfo in DER; undefined before the first checkpoint. */
  publicKey(): Promise<Buffer | undefined>;
}

const SEAL_CONTEXT = 'audit/checkpoint-key';

/** The signed text: what it is for, so that no other signature of ours can stand in for it, and all that the checkpoint says. */
const textOf = (tenant: TenantId, { seq, hash, entries, atMs }: Unsigned): string =>
  toCanonicalJson({
    purpose: 'svc audit checkpoint v1',
    tenant_id: tenant,
    seq: seq.toString(),
    hash: hash.toString('hex'),
    entries: entries.toString(),
    at_ms: atMs,
  });

/** Signs with one key of the service, made at the first need and kept sealed: whoever owns the database still cannot sign. */
export function createCheckpointSigner(relational: Pick<Relational, 'directory'>, sealer: Sealer): CheckpointSigner {
  const open = (row: { sealed: Buffer } | undefined) => row && sealer.open(row.sealed, SEAL_CONTEXT);
  const readKey = async () => open((await relational.directory<{ sealed: Buffer }>('audit_key'))[0]);

  async function ensureKey(): Promise<Buffer> {
    const known = await readKey();
    if (known) return known;
    const sealed = sealer.seal(newSigningKey(), SEAL_CONTEXT);
    const kept = open((await relational.directory<{ sealed: Buffer }>('keep_audit_key', [sealed]))[0]);
    if (!kept) throw new AppError('internal', 'The key for audit checkpoints was not kept.');
    return kept;
  }

  return {
    sign: async (tenant, checkpoint) => signText(await ensureKey(), textOf(tenant, checkpoint)),
    async findFault(tenant, checkpoint) {
      const name = `The checkpoint after entry ${checkpoint.seq}`;
      let key: Buffer | undefined;
      try {
        key = await readKey();
      } catch (error) {
        // A key that does not open is a finding here; a database that does not answer is not.
        if (!(error instanceof AppError) || error.code !== 'internal') throw error;
        return `${name} cannot be checked. ${error.message}`;
      }
      if (key && isSignedBy(publicKeyOf(key), textOf(tenant, checkpoint), checkpoint.signature)) return undefined;
      return `${name} was not signed by this server.`;
    },
    async publicKey() {
      const key = await readKey();
      return key && publicKeyOf(key);
    },
  };
}

interface CheckpointRow {
  seq: string;
  hash: Buffer;
  entries: string;
  at_ms: string;
  signature: Buffer;
}

/** At most `limit` checkpoints of the transaction's tenant, the newest first. */
export async function listCheckpoints(sql: TenantSql, limit: number): Promise<Checkpoint[]> {
  const { rows } = await sql.query<CheckpointRow>(
    'SELECT seq, hash, entries, at_ms, signature FROM audit_checkpoints ORDER BY seq DESC LIMIT $1',
    [limit],
  );
  return rows.map((row) => ({
    seq: BigInt(row.seq),
    hash: row.hash,
    entries: BigInt(row.entries),
    atMs: Number(row.at_ms),
    signature: row.signature,
  }));
}

/** The one that the rest of the chain follows; undefined while nothing was removed. */
export const readCheckpoint = async (sql: TenantSql): Promise<Checkpoint | undefined> => (await listCheckpoints(sql, 1))[0];
