/** Slots to begin with: thousands of tenants have a few sets each, most of them small. */
const FIRST_SLOTS = 64;

/** Open-addressing set of 64-bit fingerprints in two typed arrays: 8 bytes a slot, no object an entry. (0, 0) is stored as (1, 0). */
export class FingerprintSet {
  size = 0;
  private low = new Uint32Array(FIRST_SLOTS);
  private high = new Uint32Array(FIRST_SLOTS);

  private slot(low: number, high: number): number {
    const mask = this.low.length - 1;
    let at = (low ^ (high >>> 7)) & mask;
    while ((this.low[at] !== 0 || this.high[at] !== 0) && (this.low[at] !== low || this.high[at] !== high)) at = (at + 1) & mask;
    return at;
  }

  has(low: number, high: number): boolean {
    const first = low === 0 && high === 0 ? 1 : low;
    const at = this.slot(first, high);
    return this.low[at] === first && this.high[at] === high;
  }

  /** True when it was not there before. */
  add(low: number, high: number): boolean {
    const first = low === 0 && high === 0 ? 1 : low;
    const at = this.slot(first, high);
    if (this.low[at] === first && this.high[at] === high) return false;
    this.low[at] = first;
    this.high[at] = high;
    this.size++;
    if (this.size * 2 > this.low.length) this.grow();
    return true;
  }

  private grow(): void {
    const { low, high } = this;
    this.low = new Uint32Array(low.length * 2);
    this.high = new Uint32Array(high.length * 2);
    for (let i = 0; i < low.length; i++) {
      const first = low[i] as number;
      const second = high[i] as number;
      if (first === 0 && second === 0) continue;
      const at = this.slot(first, second);
      this.low[at] = first;
      this.high[at] = second;
    }
  }
}

/**
 * Remembers what was seen lately, within a bound: two generations, the older one forgotten when the younger is full.
 * What is still in use is carried over by being asked for, so this forgets what was not asked for longest.
 */
export class RecentFingerprints {
  private young = new FingerprintSet();
  private old = new FingerprintSet();
  private readonly perGeneration: number;

  constructor(perGeneration: number) {
    this.perGeneration = perGeneration;
  }

  has(low: number, high: number): boolean {
    if (this.young.has(low, high)) return true;
    if (!this.old.has(low, high)) return false;
    this.add(low, high);
    return true;
  }

  add(low: number, high: number): void {
    if (this.young.size >= this.perGeneration) {
      this.old = this.young;
      this.young = new FingerprintSet();
    }
    this.young.add(low, high);
  }
}
