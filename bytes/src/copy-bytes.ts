/**
 * Copies all of `source` into `target` from `at` on; gives the place behind it. `Buffer.copy` and `set` leave whole arrays to V8, which copies
 * into shared memory byte by byte unless both sides are aligned alike: ten times slower than this.
 */
export function copyBytes(source: Uint8Array, target: Buffer, at: number): number {
  const end = at + source.length;
  if (end > at) target.fill(source, at, end);
  return end;
}
