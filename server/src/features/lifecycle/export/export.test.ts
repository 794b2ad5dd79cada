import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError, parseTenantId, type RowsOfTable } from '#kernel';
import { openExportSocket, readExport } from './export-socket.ts';
import { writeExport } from './write-export.ts';

const ACME = parseTenantId('acme');
const log = pino({ level: 'silent' });
const clock = { now: () => Date.UTC(2026, 0, 2) };

let folder: string;
let out: string;
let socket: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-export-'));
  out = join(folder, 'out');
  socket = join(folder, 'export.sock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PAGES: RowsOfTable[] = [
  { table: 'members', rows: [{ id: 1, at: new Date(0) }, { id: 2 }] },
  { table: 'logs', rows: [{ body: 'a\nb', attributes: { k: 'ü' } }] },
  { table: 'members', rows: [{ id: 3 }] },
  { table: 'spans', rows: [] },
];

async function* pagesOf(pages: readonly RowsOfTable[], failure?: Error): AsyncGenerator<RowsOfTable> {
  yield* pages;
  if (failure) throw failure;
}

const write = (source: AsyncIterable<RowsOfTable>) => writeExport(source, { tenant: ACME, out, clock });

async function collect(source: AsyncIterable<RowsOfTable>): Promise<RowsOfTable[]> {
  const pages: RowsOfTable[] = [];
  for await (const page of source) pages.push(page);
  return pages;
}

test('an export is one file a table and a manifest with rows and hashes, for its owner alone', async () => {
  const { manifest, sha256 } = await write(pagesOf(PAGES));
  expect(readdirSync(out).sort()).toEqual(['logs.ndjson', 'manifest.json', 'members.ndjson', 'spans.ndjson']);
  expect(readFileSync(join(out, 'members.ndjson'), 'utf8')).toBe(
    '{"id":1,"at":"1970-01-01T00:00:00.000Z"}\n{"id":2}\n{"id":3}\n',
  );
  expect(readFileSync(join(out, 'logs.ndjson'), 'utf8')).toBe('{"body":"a\\nb","attributes":{"k":"ü"}}\n');
  const text = readFileSync(join(out, 'manifest.json'));
  expect(JSON.parse(text.toString())).toEqual(manifest);
  expect(sha256).toBe(createHash('sha256').update(text).digest('hex'));
  expect(manifest.files.map(({ table, rows }) => [table, rows])).toEqual([
    ['logs', 1],
    ['members', 3],
    ['spans', 0],
  ]);
  for (const { file, bytes, sha256: hash } of manifest.files) {
    const content = readFileSync(join(out, file));
    expect({ bytes: content.length, hash: createHash('sha256').update(content).digest('hex') }).toEqual({ bytes, hash });
  }
  expect(statSync(out).mode & 0o777).toBe(0o700);
  for (const file of readdirSync(out)) expect(statSync(join(out, file)).mode & 0o777).toBe(0o600);
});

test('an export that fails leaves nothing behind, and none takes the place of something', async () => {
  await expect(write(pagesOf(PAGES, new AppError('unavailable', 'The store is away.')))).rejects.toThrow('The store is away.');
  await expect(write(pagesOf([{ table: '../up', rows: [{}] }]))).rejects.toThrow('Invalid name');
  expect(readdirSync(folder)).toEqual([]);
  mkdirSync(out);
  await expect(write(pagesOf(PAGES))).rejects.toMatchObject({ code: 'conflict' });
  out = join(folder, 'nowhere', 'out');
  await expect(write(pagesOf(PAGES))).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('ENOENT') });
  expect(readdirSync(folder)).toEqual(['out']);
});

test('a command reads over the socket what the server gives, and only the owner may open it', async () => {
  const asked: string[] = [];
  const exportRows = (tenant: string) => {
    asked.push(tenant);
    return pagesOf(PAGES);
  };
  const opened = await openExportSocket({ socket, exportRows, log });
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(await collect(readExport(socket, ACME))).toEqual(JSON.parse(JSON.stringify(PAGES)));
  expect(asked).toEqual(['acme']);
  await opened.close();
  await expect(collect(readExport(socket, ACME))).rejects.toMatchObject({ code: 'unavailable' });
});

test('the socket of a server that was killed is replaced', async () => {
  await openExportSocket({ socket, exportRows: () => pagesOf([]), log });
  const next = await openExportSocket({ socket, exportRows: () => pagesOf(PAGES), log });
  expect(await collect(readExport(socket, ACME))).toHaveLength(PAGES.length);
  await next.close();
});

test('a failure of the server reaches the command, in its words where they are safe to show', async () => {
  let failure: Error = new AppError('unavailable', 'The column store is away.');
  const opened = await openExportSocket({ socket, exportRows: () => pagesOf(PAGES, failure), log });
  await expect(write(readExport(socket, ACME))).rejects.toThrow('The column store is away.');
  failure = new Error('password=hidden');
  await expect(write(readExport(socket, ACME))).rejects.toThrow('The export failed. The log of the server says why.');
  expect(readdirSync(folder)).toEqual(['export.sock']);
  await opened.close();
});

test('a server that ends half-way is not taken for the end', async () => {
  const half = createServer((_request, response) => {
    response.write('{"table":"logs","rows":[{}]}\n');
    setImmediate(() => response.destroy());
  });
  half.listen(socket);
  await once(half, 'listening');
  await expect(write(readExport(socket, ACME))).rejects.toThrow('The server ended before the export was complete.');
  half.close();
  const short = createServer((_request, response) => response.end('{"table":"logs","rows":[{}]}\n'));
  short.listen(socket);
  await once(short, 'listening');
  await expect(write(readExport(socket, ACME))).rejects.toThrow('The server ended before the export was complete.');
  expect(readdirSync(folder)).toEqual(['export.sock']);
  short.close();
});

test('rows are read no faster than they are written, one export at a time, and a reader that leaves ends it', async () => {
  let read = 0;
  const ended = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<RowsOfTable> {
    try {
      for (;;) {
        read += 1;
        yield { table: 'logs', rows: [{ body: 'x'.repeat(1 << 20) }] };
      }
    } finally {
      ended.resolve();
    }
  }
  const opened = await openExportSocket({ socket, exportRows: endless, log });
  const reader = readExport(socket, ACME);
  await reader.next();
  await expect(collect(readExport(socket, ACME))).rejects.toMatchObject({ code: 'conflict' });
  const before = read;
  // Whole round trips through the event loop, in which a server that does not wait would have made hundreds of pages.
  for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate);
  expect(read - before).toBeLessThan(50);
  await reader.return(undefined);
  await ended.promise;
  await opened.close();
});
