/**
 * Memory that two threads pass to and fro, used again and again. Fresh memory for each request cost more than walking it: the kernel clears
 * it, and V8 collects garbage for every 64 MB that come and go, by transfer too. V8 does not see the size of shared memory, and would collect
 * what was dropped too late: so no piece is ever let go of, and there are only so many.
 */
export interface SharedPieces {
  /** So many bytes that belong to nobody else. Where all pieces that are large enough are lent it is fresh memory, not shared. */
  lend(bytes: number): Buffer;
  /** For what was lent and nobody reads any more; once. */
  giveBack(memory: readonly SharedArrayBuffer[]): void;
}

export interface PieceSizes {
  /** Each size is twice the one before; a power of two. */
  smallestBytes: number;
  sizes: number;
  /** Of all pieces together. */
  mostBytes: number;
}

export function createSharedPieces({ smallestBytes, sizes, mostBytes }: PieceSizes): SharedPieces {
  const idle: SharedArrayBuffer[][] = Array.from({ length: sizes }, () => []);
  let madeBytes = 0;
  const sizeOf = (bytes: number): number => Math.max(0, Math.ceil(Math.log2(Math.max(bytes, 1) / smallestBytes)));

  function lendShared(size: number): SharedArrayBuffer | undefined {
    const bytes = smallestBytes * 2 ** size;
    const fitting = idle[size]?.pop();
    if (fitting || size >= sizes) return fitting;
    if (madeBytes + bytes <= mostBytes) {
      madeBytes += bytes;
      return new SharedArrayBuffer(bytes);
    }
    // Else who brings little had none for ever once all were made for large ones.
    return idle
      .slice(size + 1)
      .find((larger) => larger.length > 0)
      ?.pop();
  }

  return {
    lend(bytes) {
      const memory = lendShared(sizeOf(bytes));
      return memory ? Buffer.from(memory, 0, bytes) : Buffer.allocUnsafeSlow(bytes);
    },
    giveBack(memory) {
      for (const one of memory) idle[sizeOf(one.byteLength)]?.push(one);
    },
  };
}
