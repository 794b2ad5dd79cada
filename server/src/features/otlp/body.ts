import { gunzip } from 'node:zlib';
import { copyBytes } from '#kernel';
import type { Admitted } from './admitted.ts';
import type { Held } from './budget.ts';
import { Refusal } from './refusal.ts';

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal('too_large', `A request is at most ${maxBytes} bytes after decompression; send smaller batches.`);

const notGzip = (): Refusal => new Refusal('malformed', 'The request is not valid gzip.');

export interface BodySink {
  take(chunk: Buffer): void;
  /** All of it. A Refusal when less came than was announced. */
  end(): Buffer;
}

/** Collects a body of a known length in place; refuses at once one that is announced as too large. */
export function collectKnown(length: number, maxBytes: number, admitted: Admitted): BodySink {
  if (length > maxBytes) throw tooLarge(maxBytes);
  admitted.held.grow(length);
  const body = admitted.lendBody(length);
  let filled = 0;
  return {
    take(chunk) {
      if (filled + chunk.length > length) throw new Refusal('malformed', 'The request is longer than it says.');
      filled = copyBytes(chunk, body, filled);
    },
    end() {
      if (filled < length) throw new Refusal('malformed', 'The request is shorter than it says.');
      return body;
    },
  };
}

/** Collects a body of unknown length. */
export function collectUnknown(maxBytes: number, admitted: Admitted): BodySink {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    take(chunk) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      admitted.held.grow(chunk.length);
      chunks.push(chunk);
    },
    end() {
      const body = admitted.lendBody(length);
      let at = 0;
      for (const chunk of chunks) at = copyBytes(chunk, body, at);
      return body;
    },
  };
}

const LEAST_CHUNK = 16 * 1024;

/** What a gzip says of itself in its last four bytes: the length of its last member, or a lie. */
const announcedLength = (packed: Buffer): number => (packed.length >= 18 ? packed.readUInt32LE(packed.length - 4) : 0);

/** Undefined where it is longer than so many bytes. */
function gunzipUpTo(packed: Buffer, maxOutputLength: number): Promise<Buffer | undefined> {
  // One chunk of the right size: nothing is joined and copied again.
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  gunzip(packed, { chunkSize: maxOutputLength + 1, maxOutputLength }, (error, body) => {
    if (!error) resolve(body);
    else if (Reflect.get(error, 'code') === 'ERR_BUFFER_TOO_LARGE') resolve(undefined);
    else reject(notGzip());
  });
  return promise;
}

/**
 * Inflates off the event loop and ends at the bound, so that a bomb costs no more than the largest honest request. Its memory is accounted for
 * before it is taken: one that announces less than it holds, as a gzip of several members does, is begun anew with room for the largest.
 */
export async function inflate(packed: Buffer, maxBytes: number, held: Held): Promise<Buffer> {
  if (packed[0] !== 0x1f || packed[1] !== 0x8b) throw notGzip();
  const announced = announcedLength(packed);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  held.grow(announced);
  const expected = Math.min(maxBytes, Math.max(LEAST_CHUNK, announced));
  let body = await gunzipUpTo(packed, expected);
  if (body === undefined && expected < maxBytes) {
    held.grow(maxBytes - announced);
    body = await gunzipUpTo(packed, maxBytes);
  } else if (body !== undefined && body.length > announced) held.grow(body.length - announced);
  if (body === undefined) throw tooLarge(maxBytes);
  return body;
}
