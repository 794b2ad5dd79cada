/** Points of one series. */
export interface Points {
  /** Unix milliseconds. */
  at: Float64Array;
  value: Float64Array;
}

export const roomForPoints = (count: number): Points => ({ at: new Float64Array(count), value: new Float64Array(count) });

/** Points of many series as a store gives them: those of a series behind one another, as far as they lie in one part. */
export interface PointBlock extends Points {
  fingerprint: BigUint64Array;
}

/** As halves: of a number of 64 bits each look would make an object, and there are a hundred thousand. */
const halvesOf = ({ fingerprint }: PointBlock): Int32Array =>
  new Int32Array(fingerprint.buffer, fingerprint.byteOffset, fingerprint.length * 2);

/** The row behind those that have the fingerprint of this one. */
function endOfRun(halves: Int32Array, begin: number): number {
  const low = halves[begin * 2];
  const high = halves[begin * 2 + 1];
  let end = begin + 1;
  while (end * 2 < halves.length && halves[end * 2] === low && halves[end * 2 + 1] === high) end++;
  return end;
}

/** Parts of a table hold one stretch of time each, mostly: in this order the points of a series have to be sorted no further. */
const inOrderOfTime = (blocks: readonly PointBlock[]): PointBlock[] =>
  blocks.filter(({ at }) => at.length > 0).sort((a, b) => (a.at[0] as number) - (b.at[0] as number));

function countRuns(blocks: readonly PointBlock[]): number {
  let runs = 0;
  for (const block of blocks) {
    const halves = halvesOf(block);
    for (let begin = 0; begin < block.at.length; begin = endOfRun(halves, begin)) runs++;
  }
  return runs;
}

/** Where rows of a series stand behind one another, and that series' next run; -1 for none. */
const [BLOCK, BEGIN, END, NEXT, FIELDS] = [0, 1, 2, 3, 4] as const;

interface Series {
  high: number;
  points: number;
  firstRun: number;
  lastRun: number;
  /** Another one with the same lower half. */
  other: Series | undefined;
}

/** Points of many series, found by series. */
export class PointRows {
  readonly count: number;
  /** Points that the longest series has. */
  readonly longest: number;
  private readonly blocks: readonly PointBlock[];
  /** By the lower half of the fingerprint. */
  private readonly series = new Map<number, Series>();
  private readonly runs: Int32Array;
  /** Memory of `of`: of the longest series, again and again. */
  private readonly room: Points;

  constructor(blocks: readonly PointBlock[]) {
    this.blocks = inOrderOfTime(blocks);
    this.count = this.blocks.reduce((count, { at }) => count + at.length, 0);
    this.runs = new Int32Array(countRuns(this.blocks) * FIELDS);
    this.longest = this.findRuns();
    this.room = roomForPoints(this.longest);
  }

  /** Gives how many points the longest series has. */
  private findRuns(): number {
    const { blocks, runs } = this;
    let longest = 0;
    let run = 0;
    for (const [place, block] of blocks.entries()) {
      const halves = halvesOf(block);
      for (let begin = 0, end = 0; begin < block.at.length; begin = end, run += FIELDS) {
        end = endOfRun(halves, begin);
        runs[run + BLOCK] = place;
        runs[run + BEGIN] = begin;
        runs[run + END] = end;
        runs[run + NEXT] = -1;
        const own = this.seriesOf(halves[begin * 2] as number, halves[begin * 2 + 1] as number);
        if (own.lastRun < 0) own.firstRun = run;
        else runs[own.lastRun + NEXT] = run;
        own.lastRun = run;
        own.points += end - begin;
        longest = Math.max(longest, own.points);
      }
    }
    return longest;
  }

  private find(low: number, high: number): Series | undefined {
    let found = this.series.get(low);
    while (found !== undefined && found.high !== high) found = found.other;
    return found;
  }

  private seriesOf(low: number, high: number): Series {
    const known = this.find(low, high);
    if (known) return known;
    const own: Series = { high, points: 0, firstRun: -1, lastRun: -1, other: this.series.get(low) };
    this.series.set(low, own);
    return own;
  }

  /** Points of a series, run by run, good until the next call; undefined where it has none. */
  of(fingerprint: bigint): Points | undefined {
    const { blocks, runs, room } = this;
    const own = this.find(Number(BigInt.asIntN(32, fingerprint)), Number(BigInt.asIntN(32, fingerprint >> 32n)));
    if (own === undefined) return undefined;
    let filled = 0;
    for (let run = own.firstRun; run >= 0; run = runs[run + NEXT] as number) {
      const { at, value } = blocks[runs[run + BLOCK] as number] as PointBlock;
      const end = runs[run + END] as number;
      // Runs are short: to copy them as a whole would cost more than it spares.
      for (let row = runs[run + BEGIN] as number; row < end; row++, filled++) {
        room.at[filled] = at[row] as number;
        room.value[filled] = value[row] as number;
      }
    }
    return { at: room.at.subarray(0, filled), value: room.value.subarray(0, filled) };
  }
}
