import type { Readable } from 'node:stream';

export interface BlobInfo {
  key: string;
  /** Bytes. */
  size: number;
  /** Changes whenever the bytes do; opaque, without quotes. */
  etag: string;
  modifiedAtMs: number;
}

/** Both ends are part of it, counted in bytes from 0; within the blob's size. */
export interface ByteRange {
  first: number;
  last: number;
}

export interface OpenBlob {
  info: BlobInfo;
  /** Destroy it when it is not read to its end. */
  body: Readable;
}

/**
 * Larger things that are written once and read often. Keys are paths of names, see `isBlobKey`; every verb refuses another key with
 * AppError `validation`. Whoever writes a key alone decides what is in it: of two writers of one key the last one wins, and a reader gets
 * the bytes of one of them, never a mixture. A blob is there with all of its bytes, on disk, or not at all. Where the store does not
 * answer or is full a verb ends with AppError `unavailable`. What an S3 bucket can do as well as a folder is all that is asked of it.
 */
export interface BlobStore {
  /** Replaces what was there. More than `maxBytes` end with `too_large` and leave the old blob; so does a body that fails. */
  put(key: string, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, options: { maxBytes: number }): Promise<BlobInfo>;
  stat(key: string): Promise<BlobInfo | undefined>;
  /** The caller owns the body. A blob that is replaced meanwhile is read to its end as it was. */
  open(key: string, range?: ByteRange): Promise<OpenBlob | undefined>;
  /** Those whose key begins with `prefix` and a slash, by key, `limit` at most. */
  list(prefix: string, options: { limit: number }): Promise<BlobInfo[]>;
  /** Idempotent: nothing happens where there is none. */
  remove(key: string): Promise<void>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._ -]{0,127}$/;
const MAX_NAMES = 8;
const MAX_KEY = 512;

/** At most 8 names of letters, digits, `.`, `_`, `-` and space, none beginning with a dot, joined by slashes; at most 512 characters. */
export const isBlobKey = (key: string): boolean =>
  key.length <= MAX_KEY && key.split('/').length <= MAX_NAMES && key.split('/').every((name) => NAME.test(name));
