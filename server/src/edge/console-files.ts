import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface Variant {
  body: Buffer;
  etag: string;
}

export interface ConsoleFile {
  type: string;
  cacheControl: string;
  plain: Variant;
  br: Variant | undefined;
  gzip: Variant | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/vnd.microsoft.icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
};
const LEFT_OUT = new Set(['.br', '.gz', '.map']);

/** The files below `folder` by their path in an address, without index.html. They are few and small; read once, no request holds one open. */
export function readConsoleFiles(folder: string): ReadonlyMap<string, ConsoleFile> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = new Set(found.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/')));
  const read = (name: string): Variant => {
    const body = readFileSync(join(folder, name));
    return { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
  };
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    if (name === 'index.html' || LEFT_OUT.has(extname(name))) continue;
    files.set(`/${name}`, {
      type: TYPES[extname(name)] ?? 'application/octet-stream',
      // Names under assets/ carry a hash of the content; the others may change with a release.
      cacheControl: name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      plain: read(name),
      br: names.has(`${name}.br`) ? read(`${name}.br`) : undefined,
      gzip: names.has(`${name}.gz`) ? read(`${name}.gz`) : undefined,
    });
  }
  return files;
}

const accepts = (header: string, coding: string): boolean =>
  header.split(',').some((part) => {
    const [name = '', ...more] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === coding && !more.some((one) => /^q=0(\.0*)?$/.test(one));
  });

/** First and last byte of a single range that fits; anything else is answered whole, as the standard permits. */
function findRange({ headers }: FastifyRequest, size: number): [number, number] | undefined {
  if (headers['if-range'] !== undefined) return undefined;
  const [, first, last] = /^bytes=(\d{1,9})-(\d{0,9})$/.exec(headers.range ?? '') ?? [];
  if (first === undefined) return undefined;
  const [begin, end] = [Number(first), Math.min(last ? Number(last) : size - 1, size - 1)];
  return begin <= end ? [begin, end] : undefined;
}

export function sendFile(file: ConsoleFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { headers } = request;
  const coding = headers.range === undefined ? (headers['accept-encoding'] ?? '') : '';
  const chosen = (['br', 'gzip'] as const).find((one) => file[one] && accepts(String(coding), one));
  const { body, etag } = (chosen && file[chosen]) ?? file.plain;
  reply.header('cache-control', file.cacheControl).header('vary', 'accept-encoding').header('etag', etag);
  const known = headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (known?.some((one) => one === etag || one === '*')) return reply.code(304).send();
  reply.type(file.type).header('accept-ranges', 'bytes');
  if (chosen) reply.header('content-encoding', chosen);
  const range = findRange(request, body.length);
  if (!range) return reply.send(body);
  const [begin, end] = range;
  reply.code(206).header('content-range', `bytes ${begin}-${end}/${body.length}`);
  return reply.send(body.subarray(begin, end + 1));
}
