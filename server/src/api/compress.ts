import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { whenClosed } from '#connections';

/** Smaller answers fit a packet or two either way. */
const THRESHOLD_BYTES = 1024;
/** Up to here at once; a larger answer goes to the thread pool, so that nobody waits for it. */
const AT_ONCE_BYTES = 8 * 1024;
/** Larger answers that are compressed at a time; one more goes out as it is, so that readers cost no more than this in memory and threads. */
const MAX_STREAMS = 8;
/** Of 11: a page of 240 KB takes a few milliseconds, where 11 takes half a second for a tenth less. */
const BROTLI_QUALITY = 4;
/** 256 KiB of window, about 1 MiB of memory for each stream. */
const BROTLI_WINDOW_BITS = 18;
const GZIP_LEVEL = 5;

const JSON_TYPE = /^application\/(problem\+)?json\b/;

/** The text of what tRPC answers, so that its length is known; a stream of answers is left as it is. */
async function readWhole(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (!(payload instanceof Response) || payload.body === null || request.headers['trpc-accept'] !== undefined) return payload;
  if (!JSON_TYPE.test(payload.headers.get('content-type') ?? '')) return payload;
  reply.code(payload.status);
  for (const [name, value] of payload.headers) reply.header(name, value);
  return await payload.text();
}

const lengthOf = (payload: unknown): number => {
  if (Buffer.isBuffer(payload)) return payload.length;
  return typeof payload === 'string' ? Buffer.byteLength(payload) : 0;
};

/**
 * Compresses what this scope's routes read, JSON and text from 1 KiB on, with brotli or gzip as the client prefers. Answers to changes
 * stay as they are: a new token stands in one beside what the request said, and their common length would give it away (BREACH).
 */
export async function compressReads(scope: FastifyInstance): Promise<void> {
  let streams = 0;
  scope.addHook('onSend', async (request, reply, payload) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const whole = isRead ? await readWhole(request, reply, payload) : payload;
    const length = lengthOf(whole);
    const isLarge = length > AT_ONCE_BYTES;
    // A stream is what its reader takes piece by piece; holding it back for a compressor's block would delay it.
    if (!isRead || length === 0 || (isLarge && streams >= MAX_STREAMS)) request.headers['x-no-compression'] = '1';
    else if (isLarge && request.headers['x-no-compression'] === undefined) {
      streams += 1;
      whenClosed(reply.raw, () => {
        streams -= 1;
      });
    }
    return whole;
  });
  await scope.register(compress, {
    threshold: THRESHOLD_BYTES,
    syncThreshold: AT_ONCE_BYTES,
    encodings: ['br', 'gzip'],
    globalDecompression: false,
    brotliOptions: {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      },
    },
    zlibOptions: { level: GZIP_LEVEL },
  });
}
