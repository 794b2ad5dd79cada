import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { AppError } from '#kernel';
import { claimedByAnother } from '../claims.ts';
import { bindParams } from '../reading/bind-params.ts';
import { parseRows } from '../reading/json-rows.ts';
import { bytesOf, DERIVE_SETTINGS, type Engine, type EngineQuery, readSettings, WRITE_SETTINGS } from './engine.ts';

export interface ServerOptions {
  /** http(s)://[user:password@]host[:port][/database]; certificates of https are always verified. */
  url: string;
  /** PEM of a further certificate authority. */
  ca?: string;
}

const WRITE_TIMEOUT_MS = 60_000;
/** The engine gives up first; this is for one that does not answer at all. */
const GRACE_MS = 2000;
const FORMER_WRITES_MS = 60_000;
const LOOK_AGAIN_MS = 50;

/** After all claims of the name so far. */
const CLAIM = `INSERT INTO write_claims (writer, claim)
  SELECT {writer:String}, concat(leftPad(toString(toUInt64OrZero(substring(max(claim), 1, 20)) + 1), 20, '0'), {id:String})
  FROM write_claims WHERE writer = {writer:String}`;
/** ClickHouse lists a statement among its processes before it asks this of it: what is not listed when a claim was made is refused. */
const HELD = `(SELECT throwIf(NOT endsWith(max(claim), {id:String}), 'claimed by another')
  FROM write_claims WHERE writer = {writer:String}) = 0`;
const THREW = '395';

const withoutPassword = (url: string): string => {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
};

const bounded = (query: EngineQuery) => ({
  query: bindParams(query.sql, query.params),
  // The server stops a query whose connection is closed, which is what the client does with one that is aborted.
  clickhouse_settings: { ...readSettings(query), wait_end_of_query: 1, cancel_http_readonly_queries_on_client_close: 1 } as const,
  abort_signal: AbortSignal.any([AbortSignal.timeout(query.timeoutMs + GRACE_MS), ...(query.ended ? [query.ended] : [])]),
});

/** ClickHouse over HTTP(S). Connects lazily: the first call tells whether somebody is there. */
export function openServer(options: ServerOptions): Engine {
  const connect = () =>
    createClient({
      url: options.url,
      application: 'svc',
      request_timeout: WRITE_TIMEOUT_MS,
      max_open_connections: 12,
      log: { level: ClickHouseLogLevel.OFF },
      ...(options.ca === undefined ? {} : { tls: { ca_cert: Buffer.from(options.ca) } }),
    });
  const client = connect();
  // Inserts do not wait for their turn behind reads.
  const inserts = connect();

  async function isWriting(writer: string): Promise<boolean> {
    const answer = await client.query({
      query: 'SELECT count() AS n FROM system.processes WHERE startsWith(query_id, {prefix:String})',
      query_params: { prefix: `${writer}/` },
      format: 'JSONEachRow',
      abort_signal: AbortSignal.timeout(WRITE_TIMEOUT_MS),
    });
    const [row] = await answer.json<{ n: string }>();
    return Number(row?.n ?? 0) > 0;
  }

  async function ask(query: EngineQuery, format: 'JSONEachRow' | 'Native'): Promise<Buffer> {
    const asked = bounded(query);
    const { stream } = await client.exec({ ...asked, query: `${asked.query} FORMAT ${format}` });
    return bytesOf(stream);
  }

  return {
    kind: 'server',
    place: `ClickHouse at ${withoutPassword(options.url)}`,
    command: async (sql) => void (await client.command({ query: sql })),
    derive: async (query, params) => {
      const clickhouse_settings = { ...DERIVE_SETTINGS, wait_end_of_query: 1 } as const;
      await client.command({ query, query_params: params, clickhouse_settings });
    },
    async insert({ table, columns, bytes, claim }) {
      const names = columns.join(', ');
      const checked = claim === undefined ? '' : `SELECT ${names} FROM input() WHERE ${HELD}`;
      try {
        const { stream } = await inserts.exec({
          ...(claim && { query_id: `${claim.writer}/${randomUUID()}`, query_params: { ...claim } }),
          query: `INSERT INTO ${table} (${names}) ${checked} FORMAT Native`,
          values: Readable.from([bytes], { objectMode: false }),
          clickhouse_settings: { ...WRITE_SETTINGS, wait_end_of_query: 1 },
        });
        for await (const _ of stream);
      } catch (cause) {
        throw claim && Reflect.get(Object(cause), 'code') === THREW ? claimedByAnother(cause) : cause;
      }
    },
    async claim(writer, signal) {
      const id = randomUUID();
      const clickhouse_settings = { wait_end_of_query: 1 } as const;
      await client.command({ query: CLAIM, query_params: { writer, id }, clickhouse_settings });
      for (const end = performance.now() + FORMER_WRITES_MS; await isWriting(writer); await sleep(LOOK_AGAIN_MS)) {
        signal?.throwIfAborted();
        if (performance.now() > end)
          throw new AppError('unavailable', `The column store still works on an earlier write of ${writer}.`);
      }
      return { writer, id };
    },
    query: async <Row>(query: EngineQuery) => await parseRows<Row>(await ask(query, 'JSONEachRow')),
    native: (query) => ask(query, 'Native'),
    close: async () => void (await Promise.all([client.close(), inserts.close()])),
  };
}
