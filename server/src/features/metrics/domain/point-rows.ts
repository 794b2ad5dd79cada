/** Points of one series. */
export interface Points {
  /** Unix milliseconds. */
  at: Float64Array;
  value: Float64Array;
}

export const roomForPoints = (count: number): Points => ({ at: new Float64Array(count), value: new Float64Array(count) });

/** A row: fingerprint, Unix milliseconds and value, eight bytes each. */
const ROW_BYTES = 24;
const WORDS = ROW_BYTES / 4;
const LANES = ROW_BYTES / 8;
const WORD = 2 ** 32;

/** Where rows of one series stand behind one another: begin and end, run by run. */
type Runs = number[];

/** As views of whole words they are read several times quicker than number by number; memory that is not in step with words is copied. */
function aligned(bytes: Buffer): { buffer: ArrayBufferLike; from: number } {
  if (bytes.byteOffset % 8 === 0) return { buffer: bytes.buffer, from: bytes.byteOffset };
  return { buffer: new Uint8Array(bytes).buffer, from: 0 };
}

/**
 * Points of many series as a store gives them in RowBinary (`UInt64`, `DateTime64(3)`, `Float64`): part by part, and in each series by series.
 * Little-endian, as every platform we run on.
 */
export class PointRows {
  readonly count: number;
  /** Points that the longest series has. */
  readonly longest: number;
  private readonly words: Uint32Array;
  private readonly values: Float64Array;
  private readonly runs = new Map<bigint, Runs>();
  /** Memory of `of`: of the longest series, again and again. */
  private readonly room: Points;

  constructor(bytes: Buffer) {
    this.count = Math.floor(bytes.length / ROW_BYTES);
    const { buffer, from } = aligned(bytes);
    this.words = new Uint32Array(buffer, from, this.count * WORDS);
    this.values = new Float64Array(buffer, from, this.count * LANES);
    this.longest = this.findRuns(new BigUint64Array(buffer, from, this.count * LANES));
    this.room = roomForPoints(this.longest);
  }

  /** Gives how many points the longest series has. */
  private findRuns(fingerprints: BigUint64Array): number {
    const { words, count, runs } = this;
    let longest = 0;
    for (let begin = 0, end = 0; begin < count; begin = end) {
      const at = begin * WORDS;
      for (end = begin + 1; end < count; end++)
        if (words[end * WORDS] !== words[at] || words[end * WORDS + 1] !== words[at + 1]) break;
      const fp = fingerprints[begin * LANES] as bigint;
      const own = runs.get(fp);
      if (own) own.push(begin, end);
      else runs.set(fp, [begin, end]);
    }
    for (const own of runs.values()) {
      let points = 0;
      for (let i = 0; i < own.length; i += 2) points += (own[i + 1] as number) - (own[i] as number);
      longest = Math.max(longest, points);
    }
    return longest;
  }

  /** Points of a series, run by run, good until the next call; undefined where it has none. */
  of(fingerprint: bigint): Points | undefined {
    const { words, values, room } = this;
    const own = this.runs.get(fingerprint);
    if (own === undefined) return undefined;
    let filled = 0;
    for (let run = 0; run < own.length; run += 2)
      for (let row = own[run] as number; row < (own[run + 1] as number); row++, filled++) {
        room.at[filled] = (words[row * WORDS + 2] as number) + (words[row * WORDS + 3] as number) * WORD;
        room.value[filled] = values[row * LANES + 2] as number;
      }
    return { at: room.at.subarray(0, filled), value: room.value.subarray(0, filled) };
  }
}
