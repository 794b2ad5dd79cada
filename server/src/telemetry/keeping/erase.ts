import { AppError, parseTenantId, type TenantId } from '#kernel';
import type { Engine } from '../engine/engine.ts';
import type { ErasedColumns } from '../ports.ts';

const TIMEOUT_MS = 60_000;
/** What is being inserted while partitions are dropped may leave another one behind. */
const MAX_PASSES = 5;
/** Values named in one mutation. */
const CHUNK = 5000;
/**
 * Characters of a statement, which may have 256 KiB: each one passes over all parts of its table, also those of other tenants, whatever it names,
 * so that as many partitions as fit go in one.
 */
const MAX_STATEMENT = 200_000;
/** Of what stands before the condition: `DELETE IN PARTITION ID`, an id of 32 digits, `WHERE`. */
const PLACE_LENGTH = 80;

const NAME = /^[a-z][a-z0-9_]*$/;
/** Ids and fingerprints: nothing that would have to be quoted. */
const VALUE = /^[0-9a-zA-Z-]{1,64}$/;

/** All of our partitions but those of the marks begin with the tenant. */
const PARTITIONS = `SELECT DISTINCT partition_id AS id FROM system.parts WHERE database = currentDatabase() AND active
  AND table = {table:String} AND partition != 'tuple()' AND extract(partition, '^[(]?[\\']?([a-z0-9-]+)') = {tenant:String}`;
const IS_SHARED = `SELECT count() AS n FROM system.tables WHERE database = currentDatabase() AND name = {table:String} AND partition_key = ''`;

function checked({ table, where }: ErasedColumns): void {
  for (const name of [table, ...(where ? [where.column] : [])])
    if (!NAME.test(name)) throw new AppError('internal', 'Not a name of a table or column.');
  if (where?.values.some((value) => !VALUE.test(value))) throw new AppError('internal', 'Not an id whose rows can be erased.');
}

/**
 * Statements need names and values as text, which is why both are checked. Whole partitions are dropped at once; rows among others are
 * rewritten (a lightweight delete would only hide them until some later merge).
 */
export async function eraseRows(
  engine: Pick<Engine, 'query' | 'command'>,
  whose: TenantId,
  rows: ErasedColumns,
): Promise<number> {
  checked(rows);
  const tenant = parseTenantId(whose);
  const { table, where } = rows;
  const ask = <Row>(sql: string, params: Record<string, unknown>) =>
    engine.query<Row>({ sql, params, timeoutMs: TIMEOUT_MS, maxRows: 100_000 });
  const countOf = async (condition: string): Promise<number> => {
    const [found] = await ask<{ n: number }>(`SELECT toFloat64(count()) AS n FROM ${table} WHERE ${condition}`, {});
    return found?.n ?? 0;
  };
  const partitionsOf = async (): Promise<string[]> =>
    (await ask<{ id: string }>(PARTITIONS, { table, tenant })).map(({ id }) => id);
  const isShared = ((await ask<{ n: number }>(IS_SHARED, { table }))[0]?.n ?? 0) > 0;

  async function eraseWhere(condition: string): Promise<number> {
    const before = await countOf(condition);
    if (before === 0) return 0;
    const places = isShared ? [''] : (await partitionsOf()).map((id) => `IN PARTITION ID '${id}' `);
    const deletes = places.map((place) => `DELETE ${place}WHERE ${condition}`);
    const atOnce = Math.max(1, Math.floor(MAX_STATEMENT / (condition.length + PLACE_LENGTH)));
    for (let at = 0; at < deletes.length; at += atOnce) {
      const some = deletes.slice(at, at + atOnce).join(', ');
      await engine.command(`ALTER TABLE ${table} ${some} SETTINGS mutations_sync = 2`);
    }
    return before;
  }

  const own = `tenant_id = '${tenant}'`;
  if (where) {
    let erased = 0;
    for (let at = 0; at < where.values.length; at += CHUNK) {
      const values = where.values.slice(at, at + CHUNK).map((value) => `'${value}'`);
      erased += await eraseWhere(`${own} AND toString(${where.column}) IN (${values.join(', ')})`);
    }
    return erased;
  }
  if (isShared) return await eraseWhere(own);
  const before = await countOf(own);
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const ids = await partitionsOf();
    if (ids.length === 0) break;
    for (const id of ids) await engine.command(`ALTER TABLE ${table} DROP PARTITION ID '${id}'`);
  }
  return before;
}
