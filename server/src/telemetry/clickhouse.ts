import { type Block, ByteSink, decodeAnswer, encodeBlock } from '@svc/bytes';
import { AppError, endOfReading, type Health } from '#kernel';
import { readDiskUse } from './engine/disk-use.ts';
import type { Engine, EngineQuery } from './engine/engine.ts';
import { storeFailure, writeFailure } from './engine/store-failure.ts';
import { eraseRows } from './keeping/erase.ts';
import type { ColumnStore, DiskUse, EncodedBlock } from './ports.ts';
import { createTenantReaders, type TenantReaders } from './reading/tenant-readers.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_ROWS = 100_000;
const HEALTH_TIMEOUT_MS = 3000;
/** Sinks larger than this are not kept for the next block. */
const MAX_KEPT_SINK = 64 * 1024 * 1024;

const TENANT_BINDING = /\{\s*tenant\s*:\s*String\s*\}/;
const COMMENT = /--|\/\*|#/;
const NAME = /^[a-z][a-z0-9_]*$/;

function checkQuery(sql: string, params: Record<string, unknown>): void {
  if (!TENANT_BINDING.test(sql) || COMMENT.test(sql) || 'tenant' in params) {
    throw new AppError(
      'internal',
      'A query of the column store must use {tenant: String}, hold no comment and bring no tenant of its own.',
    );
  }
}

function checkNames(table: string, columns: readonly string[]): void {
  for (const name of [table, ...columns]) {
    if (!NAME.test(name)) throw new AppError('internal', `Not a name of a table or column: ${name.slice(0, 40)}`);
  }
}

/** Claims nothing: a name of its own, of which there is one row. */
const PROBE: Block = {
  table: 'write_claims',
  rows: 1,
  columns: [
    { name: 'writer', type: 'String', values: ['probe'] },
    { name: 'claim', type: 'String', values: [''] },
  ],
};

/** One after the other, whatever they are about. */
function createBackgroundLine(): TenantReaders {
  let last: Promise<unknown> = Promise.resolve();
  return {
    use(_tenant, work) {
      const next = last.then(() => work({ priority: 0, onOneThread: true }));
      last = next.catch(() => undefined);
      return next;
    },
  };
}

/** Of a tenant at once. The embedded engine has four readers: two stay for the others. */
const maxAtOnce = ({ kind }: Engine): number => (kind === 'chdb' ? 2 : 4);

/** The column store over one engine; see the port for what it promises. */
export function createColumnStore(
  engine: Engine,
  readers = createTenantReaders(maxAtOnce(engine), { sharesStore: engine.kind === 'server' }),
): ColumnStore {
  const background = createBackgroundLine();
  const sinks: ByteSink[] = [];

  async function writeEncoded({ table, rows, columns, bytes, claim }: EncodedBlock): Promise<void> {
    checkNames(table, columns);
    if (rows === 0) return;
    try {
      await engine.insert({ table, columns, bytes, claim });
    } catch (cause) {
      throw writeFailure(engine, cause);
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
    const ended = limits.background ? undefined : endOfReading();
    const query = { sql, params: { ...params, tenant }, timeoutMs, maxRows, ended };
    try {
      return await (limits.background ? background : readers).use(tenant, (share) => how({ ...query, share }), ended);
    } catch (cause) {
      ended?.throwIfAborted();
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

  const erase: ColumnStore['erase'] = async (tenant, rows) => {
    try {
      return await eraseRows(engine, tenant, rows);
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
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

  const probe = (): Promise<void> => write(PROBE);

  const diskUse = async (): Promise<DiskUse> => {
    try {
      return await readDiskUse(engine);
    } catch (cause) {
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

  const asked = { derive, erase, read, readColumns, diskUse, health };
  return { kind: engine.kind, write, writeEncoded, claim, probe, ...asked, close: () => engine.close() };
}
