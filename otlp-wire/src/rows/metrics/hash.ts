/** A 64-bit hash as two unsigned halves: no bigint on the hot path. */
export interface Halves {
  low: number;
  high: number;
}

const scramble = (word: number, first: number, second: number): number => {
  const mixed = Math.imul(word, first);
  return Math.imul((mixed << 15) | (mixed >>> 17), second);
};

const step = (hash: number, word: number): number => {
  const turned = (hash << 13) | (hash >>> 19);
  return (Math.imul(turned, 5) + word) | 0;
};

const stepA = (hash: number, word: number): number => step(hash ^ scramble(word, 0xcc9e2d51, 0x1b873593), 0xe6546b64);
const stepB = (hash: number, word: number): number => step(hash ^ scramble(word, 0x239b961b, 0xab0e9789), 0x38b34ae5);

const finish = (hash: number, size: number): number => {
  let mixed = hash ^ size;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/**
 * Two Murmur3 lanes with constants of their own. Stored fingerprints are made of it: never change it without a migration of metric_series
 * and what refers to it.
 */
export class Fingerprint implements Halves {
  low = 0;
  high = 0;
  private a = 0;
  private b = 0;
  private size = 0;

  begin(): void {
    this.a = 0x9747b28c | 0;
    this.b = 0x3c6ef372;
    this.size = 0;
  }

  /** What comes is behind what `other` was given so far. */
  continue(other: Fingerprint): void {
    this.a = other.a;
    this.b = other.b;
    this.size = other.size;
  }

  word(word: number): void {
    this.a = stepA(this.a, word);
    this.b = stepB(this.b, word);
    this.size += 4;
  }

  bytes(words: DataView, start: number, end: number): void {
    // In locals: a fifth of what a point costs is in this loop.
    let { a, b } = this;
    let at = start;
    for (; at + 4 <= end; at += 4) {
      const word = words.getInt32(at, true);
      a = stepA(a, word);
      b = stepB(b, word);
    }
    this.a = a;
    this.b = b;
    this.size += at - start;
    let rest = 0;
    for (let shift = 0; at < end; at++, shift += 8) rest |= words.getUint8(at) << shift;
    // The length tells 'a' from 'a\0'.
    this.word(rest);
    this.word(end - start);
  }

  halves(other: Halves): void {
    this.word(other.low);
    this.word(other.high);
  }

  end(): void {
    this.low = finish(this.a, this.size);
    this.high = finish(this.b, this.size);
  }
}

/** A hash of a set: the same in whatever order its members come. */
export class SetHash implements Halves {
  low = 0;
  high = 0;

  clear(): void {
    this.low = 0;
    this.high = 0;
  }

  add(member: Halves): void {
    this.low = (this.low + member.low) | 0;
    this.high = (this.high + member.high) | 0;
  }
}
