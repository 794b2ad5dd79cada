import { ByteSink, copyBytes } from '@svc/bytes';

/** What is shorter is copied at once. */
const APART_BYTES = 4096;

/** A sink that leaves what is large where it lies until memory of the right size is there: a block is copied once, and not held twice. */
export class GatheringSink extends ByteSink {
  private readonly apart: { before: number; bytes: Uint8Array }[] = [];
  private apartBytes = 0;

  get totalBytes(): number {
    return this.length + this.apartBytes;
  }

  /** As of ByteSink; the array is not to change before `gather`. */
  override raw(array: ArrayBufferView): void {
    if (array.byteLength < APART_BYTES) {
      super.raw(array);
      return;
    }
    this.apart.push({ before: this.length, bytes: new Uint8Array(array.buffer, array.byteOffset, array.byteLength) });
    this.apartBytes += array.byteLength;
  }

  /** Writes all of it, in order, into memory of at least `totalBytes`. */
  gather(into: Buffer): void {
    let [at, from] = [0, 0];
    for (const { before, bytes } of this.apart) {
      at += this.bytes.copy(into, at, from, before);
      at = copyBytes(bytes, into, at);
      from = before;
    }
    this.bytes.copy(into, at, from, this.length);
  }

  override reset(): void {
    super.reset();
    this.apart.length = 0;
    this.apartBytes = 0;
  }
}
