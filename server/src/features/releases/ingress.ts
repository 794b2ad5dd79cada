import type { Readable } from 'node:stream';
import { RELEASE_FEEDS, ReleaseFileName, ReleaseVersion } from '@svc/contracts/releases/release-feed';
import { RINGS, type Ring } from '@svc/contracts/releases/rings';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toProblem } from '#edge';
import { AppError } from '#kernel';
import type { ReleaseBlobs } from './context.ts';
import { readRange } from './domain/read-range.ts';
import { createDownloads } from './downloads.ts';
import { artefactKey, readSigned, ringKey } from './store.ts';

/** A reader that takes nothing for so long is gone. */
const STALLED_MS = 60_000;
const FOREVER = 'public, max-age=31536000, immutable';

export interface ReleaseRoutesDeps {
  blobs: ReleaseBlobs;
  /** Requests a minute from one address; 0 disables the bound. */
  ratePerMinute: number;
}

const nothing = (): AppError => new AppError('not_found', 'There is no such release.');

function ringOf(text: string | undefined): Ring {
  const ring = RINGS.find((one) => one === text);
  if (!ring) throw nothing();
  return ring;
}

/** True when the client has exactly this. */
const hasAlready = (request: FastifyRequest, etag: string): boolean =>
  (request.headers['if-none-match'] ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag);

/** `<feed>` or `<feed>.sig` of a ring. */
async function sendFeed(blobs: ReleaseBlobs, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { ring: ringText, feed: file = '' } = request.params as Record<string, string | undefined>;
  const ring = ringOf(ringText);
  const name = RELEASE_FEEDS.find((one) => file === one || file === `${one}.sig`);
  const signed = name && (await readSigned(blobs, ringKey(ring, name)));
  if (!signed) throw nothing();
  const etag = `"${signed.etag}"`;
  reply.header('etag', etag).header('cache-control', 'no-cache');
  if (hasAlready(request, etag)) return reply.code(304).send();
  const isSignature = file !== name;
  return reply
    .type(isSignature ? 'application/json; charset=utf-8' : 'application/yaml; charset=utf-8')
    .send(isSignature ? signed.signature : signed.text);
}

function sendBody(reply: FastifyReply, body: Readable, end: () => void): unknown {
  body.once('close', end);
  reply.raw.once('close', () => body.destroy());
  reply.raw.setTimeout(STALLED_MS, () => reply.raw.destroy());
  return reply.send(body);
}

/** A file of a version: whole, one range of it, or the word that the client has it. */
function createFileRoute(blobs: ReleaseBlobs) {
  const downloads = createDownloads();
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { ring, version, name } = request.params as Record<string, string | undefined>;
    ringOf(ring);
    if (!ReleaseVersion.safeParse(version).success || !ReleaseFileName.safeParse(name).success) throw nothing();
    const key = artefactKey(version ?? '', name ?? '');
    const info = await blobs.stat(key);
    if (!info) throw nothing();
    const etag = `"${info.etag}"`;
    reply.header('etag', etag).header('cache-control', FOREVER).header('accept-ranges', 'bytes');
    if (hasAlready(request, etag)) return reply.code(304).send();
    const ifRange = request.headers['if-range'];
    const range = ifRange === undefined || ifRange === etag ? readRange(request.headers.range, info.size) : undefined;
    if (range === null) {
      const problem = toProblem(new AppError('bad_request', 'The requested range is not in the file.'), request.id);
      reply.header('content-range', `bytes */${info.size}`).type('application/problem+json');
      return reply.code(416).send(JSON.stringify({ ...problem, status: 416 }));
    }
    const length = range ? range.last - range.first + 1 : info.size;
    reply.type('application/octet-stream').header('content-length', length);
    if (range) reply.code(206).header('content-range', `bytes ${range.first}-${range.last}/${info.size}`);
    if (request.method === 'HEAD') return reply.send();
    const end = downloads.begin(request.ip);
    const opened = await blobs.open(key, range).catch((error: unknown) => {
      end();
      throw error;
    });
    if (!opened) {
      end();
      throw nothing();
    }
    return sendBody(reply, opened.body, end);
  };
}

/**
 * `/agent/releases/<ring>/<feed>`, `<feed>.sig` and `files/<version>/<name>`: without a credential, as docs/adr/0005 says why. Nothing in
 * an answer depends on a tenant.
 */
export function mountReleaseRoutes(app: FastifyInstance, { blobs, ratePerMinute }: ReleaseRoutesDeps): void {
  const rate = ratePerMinute > 0 ? { perMinute: ratePerMinute } : ('none' as const);
  const shared = { config: { rate }, exposeHeadRoute: false } as const;
  const sendFile = createFileRoute(blobs);
  app.get('/agent/releases/:ring/:feed', { config: { rate } }, async (request, reply) => await sendFeed(blobs, request, reply));
  app.route({ method: ['GET', 'HEAD'], url: '/agent/releases/:ring/files/:version/:name', ...shared, handler: sendFile });
}
