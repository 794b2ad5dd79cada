import { AppError, type Health } from '#kernel';
import { ByteSink } from './byte-sink.ts';
import type { Engine, EngineQuery } from './engine.ts';
import { encodeBlock } from './native-block.ts';
import type { Block, ColumnStore, EncodedBlock } from './ports.ts';
import { decodeAnswer } from './reading/native-answer.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_ROWS = 100_000;
const HEALTH_TIMEOUT_MS = 3000;
/** Sinks larger than this are not kept for the next block. */
const MAX_KEPT_SINK = 64 * 1024 * 1024;

const TENANT_BINDING = /\{\s*tenant\s*:\s*String\s*\}/;
const COMMENT = /--|\/\*|#/;
const NAME = /^[a-z][a-z0-9_]*$/;

/** Codes of ClickHouse for a query that was larger than its bounds: too slow, too many rows, too much memory. */
const BOUND_CODES: Readonly<Record<string, string>> = {
  '159': 'took longer than allowed',
  '160': 'would take longer than allowed',
  '396': 'has more rows than allowed',
  '241': 'needs more memory than allowed',
};

/** Codes for what the operator has to put right: user or password, database. */
const SETUP_CODES: Readonly<Record<string, string>> = {
  '516': 'refuses the user and password it was given',
  '497': 'does not let this user do what is needed',
  '81': 'has no such database',
};

const codeOf = (cause: unknown): string | undefined =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : undefined;

/** The client's error as ours: over a bound or not reachable is `unavailable`, anything else is a fault of ours. */
export function storeFailure(engine: Pick<Engine, 'place'>, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const code = codeOf(cause);
  const bound = code === undefined ? undefined : BOUND_CODES[code];
  if (bound)
    return new AppError('unavailable', `The question to the column store ${bound}: ask about less time, or for less of it.`, {
      cause,
      retryAfterSeconds: 5,
    });
  const setup = code === undefined ? undefined : SETUP_CODES[code];
  if (setup) return new AppError('unavailable', `${engine.place} ${setup}.`, { cause });
  // Numeric codes come from the engine, which then answered; words (ECONNREFUSED) from the way to it.
  if (code !== undefined && /^\d+$/.test(code))
    return new AppError('internal', 'The column store refused a statement.', { cause });
  return new AppError('unavailable', `${engine.place} does not answer.`, { cause, retryAfterSeconds: 2 });
}

function checkQuery(sql: string, params: Record<string, unknown>): void {
  if (!TENANT_BINDING.test(sql) || COMMENT.test(sql) || 'tenant' in params) {
    throw new AppError(
      'internal',
      'A question to the column store must use {tenant: String}, hold no comment and bring no tenant of its own.',
    );
  }
}

function checkNames(table: string, columns: readonly string[]): void {
  for (const name of [table, ...columns]) {
    if (!NAME.test(name)) throw new AppError('internal', `Not a name of a table or column: ${name.slice(0, 40)}`);
  }
}

/** The column store over one engine; see the port for what it promises. */
export function createColumnStore(engine: Engine): ColumnStore {
  const sinks: ByteSink[] = [];

  async function writeEncoded({ table, rows, columns, bytes, claim }: EncodedBlock): Promise<void> {
    checkNames(table, columns);
    if (rows === 0) return;
    try {
      await engine.insert({ table, columns, bytes, claim });
    } catch (cause) {
      throw storeFailure(engine, cause);
    }
  }

  async function write(block: Block): Promise<void> {
    const { table, rows } = block;
    const columns = block.columns.map((column) => column.name);
    checkNames(table, columns);
    if (rows === 0) return;
    const sink = sinks.pop() ?? new ByteSink(1 << 20);
    sink.reset();
    encodeBlock(sink, block);
    await writeEncoded({ table, rows, columns, bytes: sink.view() });
    if (sink.bytes.length <= MAX_KEPT_SINK && sinks.length < 4) sinks.push(sink);
  }

  async function ask<Answer>(
    [tenant, sql, params = {}, limits = {}]: Parameters<ColumnStore['read']>,
    how: (query: EngineQuery) => Promise<Answer>,
  ): Promise<Answer> {
    checkQuery(sql, params);
    const { timeoutMs = DEFAULT_TIMEOUT_MS, maxRows = DEFAULT_MAX_ROWS } = limits;
    try {
      return await how({ sql, params: { ...params, tenant }, timeoutMs, maxRows });
    } catch (cause) {
      throw storeFailure(engine, cause);
    }
  }

  const read = <Row>(...asked: Parameters<ColumnStore['read']>) => ask(asked, (query) => engine.query<Row>(query));
  const readColumns: ColumnStore['readColumns'] = (...asked) =>
    ask(asked, async (query) => decodeAnswer(await engine.native(query)));

  const derive: ColumnStore['derive'] = async (tenant, sql, params = {}) => {
    checkQuery(sql, params);
    try {
      await engine.derive(sql, { ...params, tenant });
    } catch (cause) {
      throw storeFailure(engine, cause);
    }
  };

  const claim: ColumnStore['claim'] = async (writer, signal) => {
    try {
      return await engine.claim(writer, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      throw storeFailure(engine, cause);
    }
  };

  async function health(): Promise<Health> {
    try {
      await engine.query({ sql: 'SELECT 1', params: {}, timeoutMs: HEALTH_TIMEOUT_MS, maxRows: 1 });
      return { status: 'ok' };
    } catch (cause) {
      return { status: 'failed', detail: storeFailure(engine, cause).message };
    }
  }

  return { kind: engine.kind, write, writeEncoded, claim, derive, read, readColumns, health, close: () => engine.close() };
}
