import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { AppError, putThreadsBehind } from '#kernel';
import { createLocalClaims } from '../claims.ts';
import { bytesOf, DERIVE_SETTINGS, type Engine, type EngineQuery, readSettings, WRITE_SETTINGS } from '../engine/engine.ts';
import { bindParams } from '../reading/bind-params.ts';
import { parseRows } from '../reading/json-rows.ts';
import { createBlockFiles } from './block-files.ts';
import { createSessionPool } from './session-pool.ts';
import { createStops, type Stops } from './stop-queries.ts';

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;

export interface ChdbOptions {
  /** The engine's own folder; one process at a time. */
  directory: string;
  /** Most that the engine may hold, bytes (its own default is nine tenths of the machine). */
  memoryBytes: number;
}

/** One for a large block, one for rows made of rows, and one that neither of them takes. */
const WRITERS = 3;
/** Two of a tenant that asks much (open.ts), one of the system's own, and one that is free for whoever asks next. */
const READERS = 4;
const MEBIBYTE = 1024 * 1024;
/** What is remembered between questions, bytes; most of its own bounds are each as large as all that it may hold here, or larger. */
const CACHES = {
  mark_cache_size: 64 * MEBIBYTE,
  index_mark_cache_size: 16 * MEBIBYTE,
  text_index_header_cache_size: 32 * MEBIBYTE,
  text_index_tokens_cache_size: 16 * MEBIBYTE,
  query_condition_cache_size: 32 * MEBIBYTE,
} as const;
/** One merge at a time where few cores insert: each holds pieces of 14 parts, 120 MB of spans, and takes a quarter of what storing does. */
const MERGE_THREADS = Math.max(1, Math.floor(availableParallelism() / 4));
const MERGES_A_THREAD = 1;
/** Of what is merged in one go, compressed: a minute beside a flood. All other merges wait for it. */
const MOST_MERGED_BYTES = 2 * 1024 ** 3;
/** ClickHouse's own name for threads that merge. */
const MERGING = 'MergeMutate';
/** What is inserted takes two and a half times its bytes: blocks from this size on go one after the other. */
const LARGE_BLOCK_BYTES = 4 * MEBIBYTE;

/**
 * With places for so few merges, the next one finds its place still taken by the one that has just ended, and would look again up to 1.1 s later:
 * rows that are erased are rewritten part by part, so that the rows of one person took minutes in which nothing was computed. A table without
 * work is looked at less and less often all the same.
 */
const LOOK_AGAIN_S = 0.05;

/** What the engine takes from a file only. */
const CONFIG = `<clickhouse>
  <background_processing_pool_thread_sleep_seconds_if_nothing_to_do>${LOOK_AGAIN_S}</background_processing_pool_thread_sleep_seconds_if_nothing_to_do>
  <background_processing_pool_task_sleep_seconds_when_no_work_random_part>${LOOK_AGAIN_S}</background_processing_pool_task_sleep_seconds_when_no_work_random_part>
  <merge_tree>
    <max_bytes_to_merge_at_max_space_in_pool>${MOST_MERGED_BYTES}</max_bytes_to_merge_at_max_space_in_pool>
  </merge_tree>
</clickhouse>
`;

/** Several threads, although ClickHouse would have each leave a gigabyte free. */
const OWN_SETTINGS = {
  max_threads: Math.min(4, availableParallelism()),
  max_threads_min_free_memory_per_thread: '0',
};

/** Its own choice is to map the file, which then counts as memory of this process. */
const INSERT_SETTINGS = {
  ...WRITE_SETTINGS,
  storage_file_read_method: 'pread',
  // A file of the same name holds another table's columns next time.
  schema_inference_use_cache_for_file: 0,
} as const;

/**
 * Nobody waits for a merge, and many wait for the cores that it takes. The engine's own setting does nothing without a privilege. Its threads
 * are there with its first table: to be called behind each insert.
 */
function createMergesBehind(): () => void {
  let threads = 0;
  return () => {
    if (threads === 0) threads = putThreadsBehind(MERGING);
  };
}

const loadChdb = async () => ({ ...(await import('chdb')), ...(await import('chdb/connection')) });

/** False where the optional package has no build (Windows, musl). */
export async function chdbIsThere(): Promise<boolean> {
  return loadChdb().then(
    () => true,
    () => false,
  );
}

/** One statement for all of them: the client's own way is one for each, which takes as long as a small question. */
const settingSql = (settings: Readonly<Record<string, string | number>>): string =>
  `SET ${Object.entries(settings)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : quoted(value)}`)
    .join(', ')}; `;

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** `name` is what it can be stopped by: chDB takes no id of ours for a query. Named always: a session keeps what the question before it set. */
const bounded = (query: EngineQuery, name: string): string =>
  settingSql({ ...OWN_SETTINGS, ...readSettings(query), log_comment: name }) + bindParams(query.sql, query.params);

function createReads(readers: readonly ClickHouseClient[], stops: Stops): Pick<Engine, 'query' | 'native'> {
  const reading = createSessionPool(readers);
  const ask = (query: EngineQuery, format: 'JSONEachRow' | 'Native'): Promise<Buffer> =>
    reading.use((reader) => {
      const name = query.ended ? randomUUID() : '';
      return stops.follow({ name, ended: query.ended }, async () => {
        const { stream } = await reader.exec({ query: `${bounded(query, name)} FORMAT ${format}` });
        return await bytesOf(stream);
      });
    });
  return {
    query: async <Row>(query: EngineQuery) => await parseRows<Row>(await ask(query, 'JSONEachRow')),
    native: (query) => ask(query, 'Native'),
  };
}

/**
 * ClickHouse in this process. A block goes through a file (block-files.ts) and `file(...)`: inline data would be read as SQL after an empty line,
 * and `FROM INFILE` prefers whatever waits on the process's standard input (both reproduced).
 */
export async function openChdb(options: ChdbOptions): Promise<Engine> {
  const { Session, createChdbConnection, drainPending } = await loadChdb();
  const blocks = join(options.directory, 'blocks');
  const store = join(options.directory, 'store');
  const config = join(options.directory, 'engine.xml');
  try {
    await rm(blocks, { recursive: true, force: true });
    await mkdir(blocks, { recursive: true, mode: 0o700 });
    await writeFile(config, CONFIG, { mode: 0o600 });
  } catch (cause) {
    throw new AppError('unavailable', `The embedded ClickHouse cannot write to ${options.directory}: ${reason(cause)}`, {
      cause,
    });
  }
  const open = () =>
    new Session(store, {
      connectionArgs: [
        `--config-file=${config}`,
        `--max_server_memory_usage=${options.memoryBytes}`,
        ...Object.entries(CACHES).map(([name, bytes]) => `--${name}=${bytes}`),
        `--background_pool_size=${MERGE_THREADS}`,
        `--background_merges_mutations_concurrency_ratio=${MERGES_A_THREAD}`,
      ],
    });
  // The first Session opens the engine with our bounds; the clients' Sessions join it.
  let anchor: InstanceType<typeof Session>;
  try {
    anchor = open();
  } catch (cause) {
    throw new AppError('unavailable', `The embedded ClickHouse cannot open ${store}: ${reason(cause)}`, { cause });
  }
  // The two packages bring a copy each of the same interface, which TypeScript takes for two.
  const client = (): ClickHouseClient =>
    createClient({ connection: createChdbConnection({ path: store }) as unknown as ClientConnection });
  const writers = Array.from({ length: WRITERS }, client);
  const readers = Array.from({ length: READERS }, client);
  // All readers may be busy, with the very queries that are to be stopped.
  const stopper = client();
  const writing = createSessionPool(writers);
  const oneLarge = createSessionPool(['the only one']);
  const oneDerived = createSessionPool(['the only one']);
  const claims = createLocalClaims();
  const putMergesBehind = createMergesBehind();
  const files = createBlockFiles(blocks);

  return {
    kind: 'chdb',
    place: `embedded ClickHouse in ${store}`,
    command: (sql) => writing.use(async (writer) => void (await writer.command({ query: sql }))),
    derive: (query, params) =>
      oneDerived.use(() =>
        writing.use(
          async (writer) => void (await writer.command({ query, query_params: params, clickhouse_settings: DERIVE_SETTINGS })),
        ),
      ),
    claim: claims.claim,
    insert: ({ table, columns, bytes, claim }) =>
      claims.write(claim, () =>
        files.use(bytes, async (path) => {
          const names = columns.join(', ');
          const query = `INSERT INTO ${table} (${names}) SELECT ${names} FROM file(${quoted(path)}, 'Native')`;
          const write = () => writing.use((writer) => writer.command({ query, clickhouse_settings: INSERT_SETTINGS }));
          await (bytes.length < LARGE_BLOCK_BYTES ? write() : oneLarge.use(write));
          putMergesBehind();
        }),
      ),
    ...createReads(readers, createStops(stopper)),
    async close() {
      await Promise.all([...writers, ...readers, stopper].map((session) => session.close()));
      anchor.close();
      await drainPending();
      await files.close();
    },
  };
}

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message.split('\n')[0] : String(cause)) ?? '';
