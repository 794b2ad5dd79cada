import { wordsOf } from '@svc/bytes';

/** Bytes that are no request as the walker lets it through. */
export class BuildFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BuildFault';
  }
}

const EMPTY = Buffer.alloc(0);
const HALF = 4_294_967_296;
const NS_PER_MS = 1_000_000;

/** Unix milliseconds, with fractions, of eight little-endian bytes of nanoseconds. */
export const msAt = (words: DataView, at: number): number =>
  (words.getUint32(at + 4, true) * HALF + words.getUint32(at, true)) / NS_PER_MS;

/**
 * A cursor over protobuf bytes that the walker has validated; no object is made of what it reads. It looks at every length again, so that
 * a message that somebody else put on the bus ends with a BuildFault instead of reading past its end.
 */
export class WireReader {
  bytes: Buffer = EMPTY;
  at = 0;
  private viewed: Buffer = EMPTY;
  private dataView: DataView = wordsOf(EMPTY);

  /** `bytes`, to be read four at a time. */
  get words(): DataView {
    if (this.viewed !== this.bytes) {
      this.viewed = this.bytes;
      this.dataView = wordsOf(this.bytes);
    }
    return this.dataView;
  }

  open(bytes: Buffer): void {
    this.bytes = bytes;
    this.at = 0;
  }

  /** A tag, or the low 32 bits of a varint, unsigned. */
  varint(): number {
    const { bytes } = this;
    let { at } = this;
    let byte = bytes[at++] as number;
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] as number;
      if (shift < 32) value |= (byte & 127) << shift;
      if (shift > 63) throw new BuildFault('A varint does not end.');
    }
    this.at = at;
    return value >>> 0;
  }

  /** Enters a field with a length: `at` is then its first byte, and the position after its last is given. */
  enter(end: number): number {
    const length = this.varint();
    const stop = this.at + length;
    if (stop > end) throw new BuildFault('A field is longer than its message.');
    return stop;
  }

  /** Steps over a value of `width` bytes and gives where it began. */
  fixed(width: number, end: number): number {
    const begin = this.at;
    this.at = begin + width;
    if (this.at > end) throw new BuildFault('A field is longer than its message.');
    return begin;
  }

  /** Steps over the value of a field that is of no interest. */
  skip(tag: number, end: number): void {
    switch (tag & 7) {
      case 0:
        this.varint();
        break;
      case 1:
        this.fixed(8, end);
        break;
      case 2:
        this.at = this.enter(end);
        break;
      case 5:
        this.fixed(4, end);
        break;
      default:
        throw new BuildFault('A field has a wire type that nobody sends.');
    }
    if (this.at > end) throw new BuildFault('A field is longer than its message.');
  }

  /** A signed 64-bit varint as decimal digits. */
  decimal(): string {
    const { bytes, at } = this;
    let value = 0;
    let scale = 1;
    // Seven bytes hold 49 bits, which a number still tells exactly.
    for (let i = 0; i < 7; i++) {
      const byte = bytes[at + i] as number;
      value += (byte & 127) * scale;
      scale *= 128;
      if (byte < 128) {
        this.at = at + i + 1;
        return String(value);
      }
    }
    return this.wideDecimal();
  }

  private wideDecimal(): string {
    let wide = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.at++] as number;
      wide |= BigInt(byte & 127) << shift;
      if (byte < 128) return String(BigInt.asIntN(64, wide));
    }
    throw new BuildFault('A varint does not end.');
  }
}
