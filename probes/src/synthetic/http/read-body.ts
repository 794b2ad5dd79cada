import type http from 'node:http';
import zlib from 'node:zlib';
import { codeOf } from '../../session-failure.ts';
import { brokenFailure } from '../connect/dial.ts';
import { RunFailure, waitOn } from '../run-failure.ts';

/** What a target may send, and what that may grow to. */
const MAX_BYTES = 10 * 1024 * 1024;
/** Beyond this an answer has no assertion about its body. */
const MAX_KEPT = 1024 * 1024;
const MAX_ENCODINGS = 3;
const MEBIBYTES = MAX_BYTES / 1024 / 1024;

export interface Body {
  /** Its beginning, decoded; at most what was asked for. */
  readonly start: Buffer;
  /** Whole body fits into `start`. */
  readonly isWhole: boolean;
  /** As it came over the line. */
  readonly bytes: number;
}

const DECODERS: Readonly<Record<string, () => zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress | zlib.ZstdDecompress>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  // A window of 8 MB at most, as RFC 9659 has it.
  zstd: () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }),
};

/** In the order of their taking off. */
function decodersFor(header: string | undefined) {
  const names = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_ENCODINGS) throw new RunFailure('protocol', `The body is encoded ${names.length} times.`);
  return names.reverse().map((name) => {
    const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
    if (!decoder) throw new RunFailure('protocol', `The body has an encoding that nobody asked for (${name.slice(0, 40)}).`);
    return decoder();
  });
}

export interface Reading {
  /** First bytes that are kept, decoded. */
  readonly keep: number;
  /** Of the request: HEAD has none. */
  readonly method: string;
}

/** Reads to the end. A body without end and one that grows without end are given up as too large. */
export async function readBody(answer: http.IncomingMessage, { keep, method }: Reading, signal: AbortSignal): Promise<Body> {
  const kept: Buffer[] = [];
  const most = Math.min(keep, MAX_KEPT);
  let bytes = 0;
  let size = 0;
  const hasBody = answer.statusCode !== 204 && answer.statusCode !== 304 && method !== 'HEAD';
  const decoders = hasBody ? decodersFor(answer.headers['content-encoding']) : [];
  await waitOn<void>(signal, ({ done, fail }) => {
    const stop = (): void => {
      answer.destroy();
      for (const decoder of decoders) decoder.destroy();
    };
    const giveUp = (failure: unknown): void => {
      fail(failure);
      stop();
    };
    const tooLarge = (how: string): void => giveUp(new RunFailure('too_large', `The body ${how} more than ${MEBIBYTES} MiB.`));
    const onDecoded = (chunk: Buffer): void => {
      if (size < most) kept.push(Buffer.from(chunk.subarray(0, most - size)));
      size += chunk.length;
      if (size > MAX_BYTES) tooLarge(decoders.length > 0 ? 'unpacks to' : 'has');
    };
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) tooLarge('has');
    });
    answer.on('error', (error) => giveUp(brokenFailure(error, 'the body was read')));
    answer.once('close', () => {
      if (!answer.complete) giveUp(new RunFailure('closed', 'The server closed the connection before the body was complete.'));
    });
    const last = decoders.reduce<NodeJS.ReadableStream>((stream, decoder) => {
      decoder.on('error', (error) => giveUp(new RunFailure('protocol', `The body cannot be unpacked (${codeOf(error)}).`)));
      return stream.pipe(decoder);
    }, answer);
    last.on('data', onDecoded);
    last.once('end', () => done());
    return stop;
  });
  return { start: Buffer.concat(kept), isWhole: size <= most, bytes };
}

const isText = (text: string): boolean => {
  let odd = 0;
  for (const char of text.slice(0, 1000)) if (/[\p{Cc}\uFFFD]/u.test(char) && !/\s/.test(char)) odd += 1;
  return odd * 20 <= Math.min(text.length, 1000);
};

/** Decoded by the charset that the answer names. */
export function textOf(body: Buffer, contentType: string | undefined): string {
  const charset = /charset="?([\w.:-]{1,40})/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** For a person to read; what is no text is only counted. */
export const excerptOf = (text: string, bytes: number): string => (isText(text) ? text : `(${bytes} bytes, no text)`);
