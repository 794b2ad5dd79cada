const FIRST_BYTES = 256 * 1024;

/** Writes one protobuf message after the other into a buffer that grows and is kept. Values of 0 and '' are written as well. */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;

  message(field: number, write: () => void): void {
    const start = this.#open(field);
    write();
    this.#close(start);
  }

  text(field: number, value: string): void {
    const start = this.#open(field);
    this.#reserve(value.length * 3);
    this.#at += this.#bytes.write(value, this.#at);
    this.#close(start);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#tag(field, 2);
    this.#varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  /** Not negative. */
  varint(field: number, value: number): void {
    this.#tag(field, 0);
    this.#varint(value);
  }

  /** sint32, as exponential histograms have it. */
  zigzag(field: number, value: number): void {
    this.varint(field, value < 0 ? -value * 2 - 1 : value * 2);
  }

  int64(field: number, value: number): void {
    if (value >= 0) {
      this.varint(field, value);
      return;
    }
    this.#tag(field, 0);
    this.#reserve(10);
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 127n) | 128;
    this.#bytes[this.#at++] = Number(rest);
  }

  fixed64(field: number, value: bigint): void {
    this.#tag(field, 1);
    this.#reserve(8);
    this.#at = this.#bytes.writeBigUInt64LE(value, this.#at);
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, 5);
    this.#reserve(4);
    this.#at = this.#bytes.writeUInt32LE(value, this.#at);
  }

  double(field: number, value: number): void {
    this.#tag(field, 1);
    this.#reserve(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  packedDoubles(field: number, values: readonly number[]): void {
    this.#tag(field, 2);
    this.#varint(values.length * 8);
    this.#reserve(values.length * 8);
    for (const value of values) this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  packedFixed64(field: number, values: readonly number[]): void {
    this.#tag(field, 2);
    this.#varint(values.length * 8);
    this.#reserve(values.length * 8);
    for (const value of values) this.#at = this.#bytes.writeBigUInt64LE(BigInt(value), this.#at);
  }

  packedVarints(field: number, values: readonly number[]): void {
    this.message(field, () => {
      for (const value of values) this.#varint(value);
    });
  }

  /** A copy of what was written since the last time. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return taken;
  }

  #open(field: number): number {
    this.#tag(field, 2);
    this.#reserve(1);
    this.#at += 1;
    return this.#at;
  }

  /** Puts the length before what began at a place; for most messages it is the one byte that was left free. */
  #close(start: number): void {
    const length = this.#at - start;
    if (length > 127) {
      const more = Math.ceil((32 - Math.clz32(length)) / 7) - 1;
      this.#reserve(more);
      this.#bytes.copyWithin(start + more, start, this.#at);
      this.#at += more;
    }
    const end = this.#at;
    this.#at = start - 1;
    this.#varint(length);
    this.#at = end;
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 128;
    this.#bytes[this.#at++] = rest;
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + count));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
