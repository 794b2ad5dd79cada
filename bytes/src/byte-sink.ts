/** Below it a loop copies quicker than a call into the runtime. */
const SHORT = 48;
/** From here on memory counts more than the call that gives it back. */
const LARGE = 1 << 20;

export const wordsOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView => new DataView(buffer, byteOffset, byteLength);

/** A growing buffer of little-endian bytes. Unpooled, so that a large one is freed (or reused) as a whole. */
export class ByteSink {
  bytes: Buffer;
  length = 0;
  /** `bytes`, to be read and written four at a time. */
  words: DataView;

  constructor(capacity = 1 << 16) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
    this.words = wordsOf(this.bytes);
  }

  /** Makes room for `count` bytes and gives the position at which they begin. */
  reserve(count: number): number {
    const needed = this.length + count;
    if (needed > this.bytes.length) {
      let capacity = this.bytes.length * 2;
      while (capacity < needed) capacity *= 2;
      const grown = Buffer.allocUnsafeSlow(capacity);
      this.bytes.copy(grown, 0, 0, this.length);
      // Given back at once: with what the collector has not found yet, a growing sink took three times its bytes.
      const { buffer } = this.bytes;
      if (buffer instanceof ArrayBuffer && buffer.byteLength >= LARGE) buffer.transfer(0);
      this.bytes = grown;
      this.words = wordsOf(grown);
    }
    return this.length;
  }

  uint8(value: number): void {
    const at = this.reserve(1);
    this.bytes[at] = value;
    this.length = at + 1;
  }

  varint(value: number): void {
    let at = this.reserve(5);
    let rest = value;
    while (rest > 127) {
      this.bytes[at++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.bytes[at++] = rest;
    this.length = at;
  }

  /** A count or flag set below 2^53 as 64 bits. */
  uint64(value: number): void {
    const at = this.reserve(8);
    this.bytes.writeUInt32LE(value >>> 0, at);
    this.bytes.writeUInt32LE(Math.floor(value / 4_294_967_296) >>> 0, at + 4);
    this.length = at + 8;
  }

  /** Length as a varint, then UTF-8. */
  string(text: string): void {
    if (!this.shortAscii(text)) this.longString(text);
  }

  /** False, and nothing written, for a text that is longer than 127 or not all ASCII. */
  private shortAscii(text: string): boolean {
    const count = text.length;
    if (count > 127) return false;
    const at = this.reserve(count + 1);
    const { bytes } = this;
    bytes[at] = count;
    let next = at + 1;
    for (let i = 0; i < count; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) return false;
      bytes[next++] = code;
    }
    this.length = next;
    return true;
  }

  private longString(text: string): void {
    const size = Buffer.byteLength(text);
    this.varint(size);
    const at = this.reserve(size);
    this.bytes.write(text, at, size, 'utf8');
    this.length = at + size;
  }

  /** The memory of a typed array as it lies (this project runs on little-endian machines only). */
  raw(array: ArrayBufferView): void {
    const at = this.reserve(array.byteLength);
    this.bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    this.length = at + array.byteLength;
  }

  /** Bytes `start` to `end` of another buffer. */
  copy(from: Buffer, start: number, end: number): void {
    let at = this.reserve(end - start);
    if (end - start >= SHORT) {
      from.copy(this.bytes, at, start, end);
      this.length = at + end - start;
      return;
    }
    const { bytes } = this;
    for (let i = start; i < end; i++) bytes[at++] = from[i] as number;
    this.length = at;
  }

  /** The same out of what `from` shows: quicker where few bytes are copied again and again. */
  copyWords(from: DataView, start: number, end: number): void {
    let at = this.reserve(end - start);
    const { bytes } = this;
    let next = start;
    for (const last = end - 4; next <= last; next += 4) {
      const word = from.getInt32(next, true);
      // Not by setInt32: V8 calls it as a function in threads that took transferred memory.
      bytes[at] = word;
      bytes[at + 1] = word >> 8;
      bytes[at + 2] = word >> 16;
      bytes[at + 3] = word >> 24;
      at += 4;
    }
    for (; next < end; next++) bytes[at++] = from.getUint8(next);
    this.length = at;
  }

  append(other: ByteSink): void {
    this.raw(other.bytes.subarray(0, other.length));
  }

  reset(): void {
    this.length = 0;
  }

  /** A view, valid until the next write. */
  view(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}
