import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { DERIVE_SETTINGS, type Engine, readSettings, WRITE_SETTINGS } from './engine.ts';

export interface ServerOptions {
  /** http(s)://[user:password@]host[:port][/database]; certificates of https are always verified. */
  url: string;
  /** PEM of a further certificate authority. */
  ca?: string;
}

const WRITE_TIMEOUT_MS = 60_000;
/** The engine gives up first; this is for one that does not answer at all. */
const GRACE_MS = 2000;
/** ClickHouse reads so much of statement and data before it lists an insert among its processes; it has to list what `isWriting` asks for. */
const LISTED_BYTES = 16 * 1024;

const withoutPassword = (url: string): string => {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
};

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
  // An insert that waited for its turn behind reads would reach the store when another process may have its partition.
  const inserts = connect();
  return {
    kind: 'server',
    place: `ClickHouse at ${withoutPassword(options.url)}`,
    command: async (sql) => void (await client.command({ query: sql })),
    derive: async (query, params) => {
      const clickhouse_settings = { ...DERIVE_SETTINGS, wait_end_of_query: 1 } as const;
      await client.command({ query, query_params: params, clickhouse_settings });
    },
    async insert({ table, columns, bytes, writer }) {
      const { stream } = await inserts.exec({
        ...(writer === undefined ? {} : { query_id: `${writer}/${randomUUID()}` }),
        query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT Native`,
        values: Readable.from([bytes], { objectMode: false }),
        clickhouse_settings: { ...WRITE_SETTINGS, wait_end_of_query: 1, max_query_size: String(LISTED_BYTES) },
      });
      for await (const _ of stream);
    },
    async isWriting(writer) {
      const answer = await client.query({
        query: 'SELECT count() AS n FROM system.processes WHERE startsWith(query_id, {prefix:String})',
        query_params: { prefix: `${writer}/` },
        format: 'JSONEachRow',
        abort_signal: AbortSignal.timeout(WRITE_TIMEOUT_MS),
      });
      const [row] = await answer.json<{ n: string }>();
      return Number(row?.n ?? 0) > 0;
    },
    async query<Row>(query: Parameters<Engine['query']>[0]) {
      const answer = await client.query({
        query: query.sql,
        query_params: query.params,
        format: 'JSONEachRow',
        clickhouse_settings: { ...readSettings(query), wait_end_of_query: 1 },
        abort_signal: AbortSignal.timeout(query.timeoutMs + GRACE_MS),
      });
      return answer.json<Row>();
    },
    close: async () => void (await Promise.all([client.close(), inserts.close()])),
  };
}
