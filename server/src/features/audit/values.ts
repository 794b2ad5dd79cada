import { createHash, randomBytes } from 'node:crypto';
import type { AuditEntry, ErasedRows, Subject, TenantId } from '#kernel';
import { eraseTables, type Relational, type TenantSql } from '#relational';
import { toCanonicalJson } from './domain/canonical-json.ts';
import type { StoredEntry } from './store.ts';

const SALT_BYTES = 32;

type Change = NonNullable<AuditEntry['change']>;
type Values = Pick<Change, 'before' | 'after'>;

/**
 * What an entry tells of its values. `erased`: they went with a device or a person. `altered`: they are not those that the entry was written
 * with, so somebody wrote to the database.
 */
export type ShownChange = { state: 'kept'; from: string | null; to: string | null } | { state: 'erased' } | { state: 'altered' };

/** Of a salt that is as secret as the values: who has only the entry cannot try names until one fits. */
export const hashValues = (salt: Buffer, { before, after }: Values): string =>
  createHash('sha256').update(salt).update(toCanonicalJson({ before, after }), 'utf8').digest('hex');

export const makeSalt = (): Buffer => randomBytes(SALT_BYTES);

/** After the entry itself, in its transaction. */
export async function writeValues(
  sql: TenantSql,
  entryId: string,
  { salt, change }: { salt: Buffer; change: Change },
): Promise<void> {
  await sql.query('INSERT INTO audit_values (entry_id, agent_id, salt, before, after) VALUES ($1, $2, $3, $4, $5)', [
    entryId,
    change.agentId,
    salt,
    change.before,
    change.after,
  ]);
}

/** By id of the entry, of those that were written with values. */
export async function readValues(sql: TenantSql, entries: readonly StoredEntry[]): Promise<ReadonlyMap<string, ShownChange>> {
  const written = entries.flatMap(({ id, body }) => (body.values === undefined ? [] : [{ id, hash: body.values }]));
  if (written.length === 0) return new Map();
  const { rows } = await sql.query<{ id: string; salt: Buffer } & Values>(
    'SELECT entry_id AS id, salt, before, after FROM audit_values WHERE entry_id = ANY ($1::uuid[])',
    [written.map(({ id }) => id)],
  );
  const kept = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    written.map(({ id, hash }): [string, ShownChange] => {
      const row = kept.get(id);
      if (!row) return [id, { state: 'erased' }];
      const isSound = hashValues(row.salt, row) === hash;
      return [id, isSound ? { state: 'kept', from: row.before, to: row.after } : { state: 'altered' }];
    }),
  );
}

/**
 * A device as it was called when an entry was written, where a later entry has renamed it; keyed by `<device>@<place of the entry>`. Each is one
 * step into an index: a person who renames a device without end must not make the trail too slow to read.
 */
export async function readFormerNames(
  sql: TenantSql,
  wanted: readonly { agentId: string; seq: bigint }[],
): Promise<ReadonlyMap<string, string | null>> {
  if (wanted.length === 0) return new Map();
  const { rows } = await sql.query<{ agent: string; seq: string; name: string | null }>(
    `SELECT w.agent, w.seq, later.before AS name FROM unnest($1::text[], $2::bigint[]) AS w (agent, seq) CROSS JOIN LATERAL
       (SELECT v.before FROM audit_values v
         WHERE v.agent_id = w.agent::uuid AND v.rename_seq > w.seq ORDER BY v.rename_seq LIMIT 1) AS later`,
    [wanted.map(({ agentId }) => agentId), wanted.map(({ seq }) => seq.toString())],
  );
  return new Map(rows.map(({ agent, seq, name }) => [`${agent}@${seq}`, name]));
}

export const eraseValues = (relational: Pick<Relational, 'withSystemSql'>, tenant: TenantId): Promise<ErasedRows> =>
  eraseTables(relational, tenant, [{ table: 'audit_values' }]);

/** Of their devices, and wherever their address stands: also of devices that are somebody else's by now. */
export const eraseValuesOf = (
  relational: Pick<Relational, 'withSystemSql'>,
  tenant: TenantId,
  { agents, email }: Subject,
): Promise<ErasedRows> =>
  eraseTables(relational, tenant, [
    { table: 'audit_values', where: 'agent_id = ANY ($1::uuid[])', value: agents },
    ...(email === undefined ? [] : [{ table: 'audit_values', where: 'lower(before) = $1 OR lower(after) = $1', value: email }]),
  ]);
