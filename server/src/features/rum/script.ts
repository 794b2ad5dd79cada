import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { hostOfOrigin } from '@svc/contracts/rum/canonical-host';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TenantId } from '#kernel';
import type { RumContext, ScriptRelease } from './context.ts';

/** The address without a hash changes with an upgrade; those with one never do. */
const FRESH = 'public, max-age=300';
const FOREVER = 'public, max-age=31536000, immutable';

interface Encoded {
  plain: Buffer;
  br: Buffer;
  gzip: Buffer;
  etag: string;
}

const encode = ({ bytes, hash }: ScriptRelease): Encoded => ({
  plain: bytes,
  br: brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
  }),
  gzip: gzipSync(bytes, { level: 9 }),
  etag: `"${hash}"`,
});

function sendScript(request: FastifyRequest, reply: FastifyReply, { script, cache }: { script: Encoded; cache: string }) {
  const accepts = String(request.headers['accept-encoding'] ?? '');
  const coding = /\bbr\b/.test(accepts) ? 'br' : /\bgzip\b/.test(accepts) ? 'gzip' : undefined;
  void reply
    .header('access-control-allow-origin', '*')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('cache-control', cache)
    .header('vary', 'accept-encoding')
    .header('etag', script.etag)
    .type('text/javascript; charset=utf-8');
  if (request.headers['if-none-match'] === script.etag) return reply.code(304).send();
  if (coding) void reply.header('content-encoding', coding);
  return reply.send(script[coding ?? 'plain']);
}

/** Of one tenant and fetch: one that lists a host in every app of its own has not every fetch of it counted a thousand times. */
const MOST_COUNTED = 20;

/** Counts that a page of an app's host asked for the script: whoever waits for a first beacon sees that it arrives. */
function noteFetch({ registry, counters }: Pick<RumContext, 'registry' | 'counters'>, origin: string | undefined): void {
  const host = origin === undefined ? undefined : hostOfOrigin(origin);
  if (host === undefined) return;
  const seen = new Map<TenantId, Set<string>>();
  for (const { tenant, app } of registry.appsAt(host)) {
    const apps = seen.get(tenant) ?? new Set();
    if (apps.has(app) || apps.size >= MOST_COUNTED) continue;
    seen.set(tenant, apps.add(app));
    counters.add({ tenant, app, word: 'script' });
  }
}

/** `/rum.js`, the newest release, and `/rum.<hash>.js`, every release: an upgrade must not break a page that names an older one. */
export function mountScript(app: FastifyInstance, context: Pick<RumContext, 'releases' | 'registry' | 'counters'>): void {
  const options = { config: { rate: 'pages' as const }, logLevel: 'silent' as const };
  const mount = (path: string, release: ScriptRelease, cache: string): void => {
    const script = encode(release);
    app.get(path, options, (request, reply) => {
      noteFetch(context, request.headers.origin);
      return sendScript(request, reply, { script, cache });
    });
  };
  for (const release of context.releases) mount(`/rum.${release.hash}.js`, release, FOREVER);
  const newest = context.releases.at(-1);
  if (newest) mount('/rum.js', newest, FRESH);
}
