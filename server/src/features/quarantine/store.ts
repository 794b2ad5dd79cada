import { TOPICS, type Topic } from '@svc/contracts/bus-topics';
import { uuidv7 } from 'uuidv7';
import type { QuarantineRow, SetAsideMessage } from '#bus';
import { type Sealer, sha256 } from '#crypto';
import { AppError, type Clock, type TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';

/** Of one tenant; beyond either the oldest of the same tenant go. */
export const MAX_MESSAGES = 1000;
export const MAX_BYTES = 64 * 1024 * 1024;
/** Written in one transaction. */
const PART_BYTES = 16 * 1024 * 1024;
/** Days that what went is told for. */
const DROPPED_DAYS = 31;
const DAY_MS = 86_400_000;

/** As long as what the message would have become (docs/telemetry/otlp.md). */
const KEPT_DAYS: Readonly<Record<Topic, number>> = {
  [TOPICS.otlpTraces]: 15,
  [TOPICS.otlpLogs]: 15,
  [TOPICS.otlpMetrics]: 30,
  [TOPICS.endpointResults]: 30,
  [TOPICS.networkResults]: 30,
  [TOPICS.rumEvents]: 30,
  [TOPICS.changes]: 30,
};
const OTHER_DAYS = 30;

export interface StoreDeps {
  relational: Relational;
  sealer: Sealer;
  clock: Clock;
}

export const COLUMNS: readonly (keyof QuarantineRow)[] = [
  ...(['id', 'topic', 'consumer_group', 'bus_partition', 'bus_offset', 'reason', 'error'] as const),
  ...(['bytes', 'set_aside_at', 'expires_at', 'retry_at'] as const),
];

const contextOf = (tenant: TenantId, id: string): string => `bus-quarantine/${tenant}/${id}`;

/** Headers as JSON behind their length, and the value. */
function pack({ headers, value }: Pick<SetAsideMessage, 'headers' | 'value'>): Buffer {
  const json = Buffer.from(JSON.stringify(headers));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, value]);
}

function unpack(packed: Buffer): Pick<SetAsideMessage, 'headers' | 'value'> {
  const end = 4 + packed.readUInt32BE(0);
  return { headers: JSON.parse(packed.toString('utf8', 4, end)) as Record<string, string>, value: packed.subarray(end) };
}

/** What is dropped of these before anything is written, the oldest first: a flood of one tenant costs the database no more than its bound. */
function splitAtBound(messages: readonly SetAsideMessage[]): { gone: SetAsideMessage[]; kept: SetAsideMessage[] } {
  let bytes = 0;
  let from = messages.length;
  while (from > 0 && messages.length - from < MAX_MESSAGES) {
    bytes += (messages[from - 1] as SetAsideMessage).value.length;
    if (bytes > MAX_BYTES) break;
    from--;
  }
  return { gone: messages.slice(0, from), kept: messages.slice(from) };
}

function* partsOf(messages: readonly SetAsideMessage[]): Generator<SetAsideMessage[]> {
  let part: SetAsideMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    if (part.length > 0 && bytes + message.value.length > PART_BYTES) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(message);
    bytes += message.value.length;
  }
  if (part.length > 0) yield part;
}

const INSERT = `INSERT INTO bus_quarantine (tenant_id, id, topic, consumer_group, bus_partition, bus_offset, digest, reason, error, bytes,
    set_aside_at, expires_at, sealed)
  SELECT current_setting('app.tenant_id'), * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::bigint[], $6::bytea[], $7::text[],
    $8::text[], $9::int[], $10::timestamptz[], $11::timestamptz[], $12::bytea[])
  ON CONFLICT (tenant_id, topic, consumer_group, bus_partition, bus_offset, digest) DO NOTHING`;

const TRIM = `DELETE FROM bus_quarantine WHERE tenant_id = current_setting('app.tenant_id') AND id IN (
    SELECT id FROM (SELECT id, count(*) OVER newest AS place, sum(bytes) OVER newest AS total FROM bus_quarantine
      WINDOW newest AS (ORDER BY id DESC ROWS UNBOUNDED PRECEDING)) ranked
    WHERE place > ${MAX_MESSAGES} OR total > ${MAX_BYTES})
  RETURNING bytes`;

const NOTE_DROPPED = `INSERT INTO bus_quarantine_dropped AS d (tenant_id, day, messages, bytes)
  VALUES (current_setting('app.tenant_id'), $1, $2, $3)
  ON CONFLICT (tenant_id, day) DO UPDATE SET messages = d.messages + excluded.messages, bytes = d.bytes + excluded.bytes`;

/** One transaction of a tenant at a time trims, or two could wait for each other's rows. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('bus-quarantine/' || current_setting('app.tenant_id'), 0))";

interface Sizes {
  messages: number;
  bytes: number;
}

const sizesOf = (sizes: readonly number[]): Sizes => ({
  messages: sizes.length,
  bytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
});

async function insertPart(sql: TenantSql, rows: readonly unknown[][]): Promise<void> {
  const columns = rows[0]?.map((_, column) => rows.map((row) => row[column])) ?? [];
  await sql.query(INSERT, columns);
}

function toRow({ sealer, clock }: StoreDeps, message: SetAsideMessage): unknown[] {
  const { tenant, topic, group, partition, offset, reason, error, value } = message;
  const [id, packed, now] = [uuidv7(), pack(message), clock.now()];
  const expires = new Date(now + (KEPT_DAYS[topic] ?? OTHER_DAYS) * DAY_MS);
  return [
    ...[id, topic, group, partition, String(offset), sha256(packed), reason, error, value.length],
    ...[new Date(now), expires, sealer.seal(packed, contextOf(tenant, id))],
  ];
}

const NONE: Sizes = { messages: 0, bytes: 0 };
const add = (a: Sizes, b: Sizes): Sizes => ({ messages: a.messages + b.messages, bytes: a.bytes + b.bytes });

/** Keeps messages of one tenant, in the order given; resolves with what went to make room. The same message twice is one. */
export async function keepMessages(deps: StoreDeps, tenant: TenantId, messages: readonly SetAsideMessage[]): Promise<Sizes> {
  const { gone, kept } = splitAtBound(messages);
  const now = new Date(deps.clock.now());
  let waiting = sizesOf(gone.map(({ value }) => value.length));
  let total = NONE;
  for (const part of partsOf(kept)) {
    const rows = part.map((message) => toRow(deps, message));
    const trimmed = await deps.relational.withSystemSql(tenant, async (sql) => {
      await sql.query(LOCK);
      await sql.query('DELETE FROM bus_quarantine WHERE expires_at <= $1', [now]);
      await insertPart(sql, rows);
      const removed = await sql.query<{ bytes: number }>(TRIM);
      const went = add(waiting, sizesOf(removed.rows.map(({ bytes }) => bytes)));
      if (went.messages > 0) await sql.query(NOTE_DROPPED, [now, went.messages, went.bytes]);
      return went;
    });
    total = add(total, trimmed);
    waiting = NONE;
  }
  return total;
}

export interface Wanted {
  id?: string | undefined;
  reason?: string | undefined;
}

/** Rows that a request is for; all where it names nothing. */
const matching = ({ id, reason }: Wanted): { where: string; values: unknown[] } => ({
  where: '($1::uuid IS NULL OR id = $1) AND ($2::text IS NULL OR reason = $2)',
  values: [id ?? null, reason ?? null],
});

/** The newest first; `after` is the id of the last one seen. */
export async function listMessages(
  sql: TenantSql,
  { after, limit, ...wanted }: Wanted & { after?: string | undefined; limit: number },
): Promise<QuarantineRow[]> {
  const { where, values } = matching(wanted);
  const { rows } = await sql.query<QuarantineRow>(
    `SELECT ${COLUMNS.join(', ')} FROM bus_quarantine WHERE ${where} AND ($3::uuid IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
    [...values, after ?? null, limit],
  );
  return rows;
}

export interface Totals extends Sizes {
  /** Over the last 31 days. */
  dropped: Sizes;
}

export async function readTotals(sql: TenantSql): Promise<Totals> {
  const { rows } = await sql.query<Record<'messages' | 'bytes' | 'dropped_messages' | 'dropped_bytes', string>>(
    `SELECT (SELECT count(*) FROM bus_quarantine) AS messages, (SELECT coalesce(sum(bytes), 0) FROM bus_quarantine) AS bytes,
       coalesce(sum(messages), 0) AS dropped_messages, coalesce(sum(bytes), 0) AS dropped_bytes FROM bus_quarantine_dropped
     WHERE day > current_date - ${DROPPED_DAYS}`,
  );
  const row = rows[0];
  return {
    messages: Number(row?.messages ?? 0),
    bytes: Number(row?.bytes ?? 0),
    dropped: { messages: Number(row?.dropped_messages ?? 0), bytes: Number(row?.dropped_bytes ?? 0) },
  };
}

/** Headers and value of one message; `not_found` where it is gone. */
export async function openMessage(sql: TenantSql, sealer: Sealer, where: { tenant: TenantId; id: string }) {
  const { rows } = await sql.query<{ sealed: Buffer }>('SELECT sealed FROM bus_quarantine WHERE id = $1', [where.id]);
  if (!rows[0]) throw new AppError('not_found', 'There is no such message in quarantine.');
  return unpack(sealer.open(rows[0].sealed, contextOf(where.tenant, where.id)));
}

/** Removes messages; gives how many. */
export async function dropMessages(sql: TenantSql, wanted: Wanted): Promise<number> {
  const { where, values } = matching(wanted);
  return (await sql.query(`DELETE FROM bus_quarantine WHERE ${where}`, values)).rowCount ?? 0;
}

export const CHANNEL = 'svc_bus_quarantine';

/** Asks the servers to publish messages once more; gives how many. */
export async function askForRetry(sql: TenantSql, wanted: Wanted): Promise<number> {
  const { where, values } = matching(wanted);
  const { rowCount } = await sql.query(`UPDATE bus_quarantine SET retry_at = least(retry_at, now()) WHERE ${where}`, values);
  await sql.query(`SELECT pg_notify('${CHANNEL}', current_setting('app.tenant_id'))`);
  return rowCount ?? 0;
}

/** The message that has waited longest to be published once more, held by this transaction alone. */
export async function takeNextRetry(sql: TenantSql): Promise<Pick<QuarantineRow, 'id' | 'topic'> | undefined> {
  const { rows } = await sql.query<Pick<QuarantineRow, 'id' | 'topic'>>(
    'SELECT id, topic FROM bus_quarantine WHERE retry_at <= now() ORDER BY retry_at, id LIMIT 1 FOR UPDATE SKIP LOCKED',
  );
  return rows[0];
}

const RETRY_FAILED = ' Not published again: ';
/** Of an error that is kept. */
const MAX_ERROR_LENGTH = 500;

/** Keeps why a message could not be published again, and puts it behind the others that wait. */
export async function noteFailedRetry(
  sql: TenantSql,
  id: string,
  { error, againMs }: { error: unknown; againMs: number },
): Promise<void> {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH);
  await sql.query(
    `UPDATE bus_quarantine SET retry_at = now() + $4 * interval '1 millisecond',
       error = left(split_part(error, $2, 1), ${MAX_ERROR_LENGTH - RETRY_FAILED.length}) || $2 || $3 WHERE id = $1`,
    [id, RETRY_FAILED, reason, againMs],
  );
}

/** Removes what is past its time. */
export async function removeExpired(sql: TenantSql, now: Date): Promise<void> {
  await sql.query('DELETE FROM bus_quarantine WHERE expires_at <= $1', [now]);
  await sql.query(`DELETE FROM bus_quarantine_dropped WHERE day < current_date - ${DROPPED_DAYS}`);
}
