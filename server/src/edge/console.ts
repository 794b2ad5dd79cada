import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

const NONCE_PLACE = '__CSP_NONCE__';

const consolePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

/** Paths that belong to machines: an unknown one there is a problem document, never the console's page. */
const MACHINE_PATHS = /^\/(v1|trpc|auth|agent|ingest|provider|healthz|readyz|docs|\.well-known|assets)(\/|$)/;

/**
 * Serves the built console: assets by hash, kept for a year; index.html rendered per response with a fresh nonce and never stored.
 * `folder` is web-console's dist; where it is missing, `/` says how to build it.
 */
export async function mountConsole(app: FastifyInstance, folder: string): Promise<void> {
  const file = join(folder, 'index.html');
  const page = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (page !== undefined) {
    // One route a file that is there now (wildcard off): everything else stays with the page below.
    await app.register(fastifyStatic, {
      root: folder,
      prefix: '/',
      wildcard: false,
      index: false,
      decorateReply: false,
      preCompressed: true,
      globIgnore: ['index.html', '**/*.map'],
      setHeaders: (response, path) => {
        // Names under assets/ carry a hash of the content; the others may change with a release.
        const lasting = relative(folder, path).startsWith('assets');
        response.header('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'public, max-age=3600');
      },
    });
  }
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
  app.get('/', { config: { rateLimit: false } }, (_request, reply) => sendPage(reply));
  app.get('/*', { config: { rateLimit: false } }, (request, reply) => {
    const path = new URL(request.url, 'https://console').pathname;
    if (MACHINE_PATHS.test(path)) return reply.callNotFound();
    return sendPage(reply);
  });
}
