import { sizeOfVarint, writeVarint } from '../varint.ts';

/** Protobuf into a buffer that grows. */
export class WireWriter {
  private bytes: Buffer;
  private length = 0;

  constructor(expectedBytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(Math.max(64, expectedBytes));
  }

  varint(value: number): void {
    this.reserve(5);
    this.length = writeVarint(this.bytes, value >>> 0, this.length);
  }

  varint64(value: bigint): void {
    this.reserve(10);
    let rest = BigInt.asUintN(64, value);
    for (; rest > 127n; rest >>= 7n) this.bytes[this.length++] = Number(rest & 127n) | 128;
    this.bytes[this.length++] = Number(rest);
  }

  fixed32(value: number): void {
    this.reserve(4);
    this.length = this.bytes.writeUInt32LE(value >>> 0, this.length);
  }

  fixed64(value: bigint): void {
    this.reserve(8);
    this.length = this.bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.length);
  }

  double(value: number): void {
    this.reserve(8);
    this.length = this.bytes.writeDoubleLE(value, this.length);
  }

  /** With its length before it. */
  delimited(content: Buffer): void {
    this.varint(content.length);
    this.reserve(content.length);
    this.length += content.copy(this.bytes, this.length);
  }

  /** What `write` writes, with its length before it. */
  nested(write: () => void): void {
    this.reserve(1);
    const start = this.length + 1;
    this.length = start;
    write();
    const size = this.length - start;
    const more = sizeOfVarint(size) - 1;
    if (more > 0) {
      this.reserve(more);
      this.bytes.copyWithin(start + more, start, this.length);
      this.length += more;
    }
    writeVarint(this.bytes, size, start - 1);
  }

  finish(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  private reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + count));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }
}
