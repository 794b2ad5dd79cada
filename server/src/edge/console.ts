import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type ConsoleFile, readConsoleFiles, sendFile } from './console-files.ts';

const NONCE_PLACE = '__CSP_NONCE__';

const consolePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

/** Pages that the console shows in a frame of its own, to try a script in: they may connect to nothing. */
const FRAMED = '/framed/';
const FRAMED_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "base-uri 'none'",
].join('; ');

/** Paths that belong to machines: an unknown one there is a problem document, never the console's page. */
const MACHINE_PATHS = /^\/(v1|trpc|auth|agent|ingest|provider|healthz|readyz|docs|\.well-known|assets)(\/|$)/;

/**
 * Serves the built console from memory: assets by hash, kept for a year; index.html rendered per response with a fresh nonce and never stored.
 * `folder` is web-console's dist; where it is missing, `/` says how to build it.
 */
export async function mountConsole(app: FastifyInstance, folder: string): Promise<void> {
  const index = join(folder, 'index.html');
  const page = existsSync(index) ? readFileSync(index, 'utf8') : undefined;
  const files: ReadonlyMap<string, ConsoleFile> = page === undefined ? new Map() : readConsoleFiles(folder);
  const sendPage = (reply: FastifyReply) => {
    if (page === undefined) {
      return reply.code(503).type('text/plain; charset=utf-8').send('The console is not built here. Run: npm run build\n');
    }
    const nonce = randomBytes(16).toString('base64url');
    return reply
      .header('content-security-policy', consolePolicy(nonce))
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(NONCE_PLACE, nonce));
  };
  app.get('/', { config: { rate: 'pages' } }, (_request, reply) => sendPage(reply));
  app.get('/*', { config: { rate: 'pages' } }, (request, reply) => {
    const name = `/${(request.params as { '*': string })['*']}`;
    const file = files.get(name);
    if (file && name.startsWith(FRAMED)) reply.header('content-security-policy', FRAMED_POLICY);
    if (file) return sendFile(file, request, reply);
    const path = new URL(request.url, 'https://console').pathname;
    // A cache on the way must not keep that an asset is missing: the next release may bring it.
    if (MACHINE_PATHS.test(path)) return reply.header('cache-control', 'no-store').callNotFound();
    return sendPage(reply);
  });
}
