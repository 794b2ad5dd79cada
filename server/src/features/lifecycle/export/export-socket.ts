/**
 * `svc tenant export` beside a running server: the column store in the process can be read by that process alone, so the command reads the
 * rows from it over a Unix socket in the data directory, which nobody but the directory's owner can open. A line holds a page of rows as
 * JSON, the last one `end` or `error`.
 */
import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyBaseLogger } from 'fastify';
import { AppError, isTenantId, type RowsOfTable, type TenantId } from '#kernel';

export interface ExportSocketDeps {
  socket: string;
  exportRows: (tenant: TenantId) => AsyncIterable<RowsOfTable>;
  log: FastifyBaseLogger;
}

type Line = RowsOfTable | { end: true } | { error: string };

const HTTP_OK = 200;
const HTTP_NOT_FOUND = 404;
const HTTP_BUSY = 409;

/** Listens until closed; closing ends an export half-way, which its reader notices. */
export async function openExportSocket({ socket, exportRows, log }: ExportSocketDeps): Promise<{ close(): Promise<void> }> {
  async function* linesOf(tenant: TenantId): AsyncGenerator<string> {
    const toLine = (line: Line): string => `${JSON.stringify(line)}\n`;
    try {
      for await (const page of exportRows(tenant)) yield toLine(page);
      yield toLine({ end: true });
    } catch (error) {
      log.error({ err: error, tenant }, 'an export failed');
      yield toLine({ error: error instanceof AppError ? error.message : 'The export failed. The log of the server says why.' });
    }
  }

  let isBusy = false;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const tenant = request.url?.slice(1) ?? '';
    if (!isTenantId(tenant)) return void response.writeHead(HTTP_NOT_FOUND).end();
    if (isBusy) return void response.writeHead(HTTP_BUSY).end();
    isBusy = true;
    try {
      await pipeline(Readable.from(linesOf(tenant)), response);
    } catch (error) {
      log.warn({ err: error, tenant }, 'an export was not read to its end');
    } finally {
      isBusy = false;
    }
  }

  const server = createServer((request, response) => void answer(request, response));
  // The data directory is this process's alone: a socket that is there is one of a process that was killed.
  await rm(socket, { force: true });
  server.listen(socket);
  await once(server, 'listening');
  await chmod(socket, 0o600);
  return {
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function* splitLines(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, at)]).toString();
      begun = [];
      from = at + 1;
    }
    begun.push(chunk.subarray(from));
  }
}

async function ask(socket: string, tenant: TenantId): Promise<IncomingMessage> {
  const request = get({ socketPath: socket, path: `/${tenant}`, agent: false });
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  } catch (cause) {
    throw new AppError('unavailable', 'The running server cannot be asked for an export. Stop it and run the command again.', {
      cause,
    });
  }
}

const INCOMPLETE = 'The server ended before the export was complete. Try again.';

/** All rows of a tenant from the server that listens there. AppError where it ends before the last one. */
export async function* readExport(socket: string, tenant: TenantId): AsyncGenerator<RowsOfTable> {
  const response = await ask(socket, tenant);
  try {
    if (response.statusCode === HTTP_BUSY)
      throw new AppError('conflict', 'Another export is being made. Try again when it ends.');
    if (response.statusCode !== HTTP_OK)
      throw new AppError('unavailable', 'The running server is of another release. Restart it and run the command again.');
    for await (const text of splitLines(response)) {
      const line = JSON.parse(text) as Line;
      if ('end' in line) return;
      if ('error' in line) throw new AppError('unavailable', line.error);
      yield line;
    }
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('unavailable', INCOMPLETE, { cause: error });
  } finally {
    response.destroy();
  }
  throw new AppError('unavailable', INCOMPLETE);
}
