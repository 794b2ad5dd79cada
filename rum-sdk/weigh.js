import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Under 2 KiB, minified and before compression. */
export const MOST_BYTES = 2047;

/** @param {string} text */
export const findWeight = (text) => ({
  bytes: Buffer.byteLength(text),
  gzip: gzipSync(text, { level: 9 }).length,
  brotli: brotliCompressSync(text).length,
});
