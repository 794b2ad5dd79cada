/** Of the time of the runner's one thread, for all owners together; the rest is there for what none of them is charged with. */
const PART = 0.75;
/** An owner may be so far ahead of its share, and behind it at most: what it has to wait for has an end. */
const BURST_MS = 1500;
const DEBT_MS = 5000;
/** After so long half of what was taken counts. */
const HALF_LIFE_MS = 10_000;
const LEVEL_EVERY_MS = 500;

interface Account {
  /** Milliseconds of the thread that it may take now; below zero it waits. */
  credit: number;
  /** Taken of late. */
  used: number;
  atMs: number;
}

/** What each owner of a shared runner takes of its CPU, and when it may take more. */
export interface CpuShares {
  spend(owner: string, ms: number): void;
  /** Until it may begin something; 0: now. */
  waitMs(owner: string): number;
}

/** Nobody has to wait for anybody. */
export const ONE_OWNER: CpuShares = { spend: () => undefined, waitMs: () => 0 };

/** What each may take so that all that take less have it, and the others alike what these leave; parts of the core. */
function levelOf(taken: readonly number[]): number {
  let left = PART;
  const sorted = taken.toSorted((a, b) => a - b);
  for (const [i, part] of sorted.entries()) {
    const level = left / (sorted.length - i);
    if (part > level) return level;
    left -= part;
  }
  // All have what they want: any of them may have the rest too.
  return (sorted.at(-1) ?? 0) + left;
}

/** Owners that want more than there is share it alike; what was not taken is kept for a while, and what was taken too much is waited for. */
export function createCpuShares({ now = () => performance.now() }: { now?: () => number } = {}): CpuShares {
  const accounts = new Map<string, Account>();
  let level = PART;
  let leveledAtMs = Number.NEGATIVE_INFINITY;

  /** Accounts as good as new are let go of. */
  const rate = (): number => {
    const nowMs = now();
    if (nowMs - leveledAtMs < LEVEL_EVERY_MS) return level;
    leveledAtMs = nowMs;
    const taken: number[] = [];
    for (const [owner, { used, credit, atMs }] of accounts) {
      const left = used * 0.5 ** ((nowMs - atMs) / HALF_LIFE_MS);
      if (left < 1 && credit >= BURST_MS) accounts.delete(owner);
      else taken.push((left * Math.LN2) / HALF_LIFE_MS);
    }
    level = levelOf(taken);
    return level;
  };

  const settle = (owner: string): Account => {
    const nowMs = now();
    const known = accounts.get(owner);
    if (!known) {
      const made = { credit: BURST_MS, used: 0, atMs: nowMs };
      accounts.set(owner, made);
      return made;
    }
    const passedMs = nowMs - known.atMs;
    known.credit = Math.min(BURST_MS, known.credit + passedMs * rate());
    known.used *= 0.5 ** (passedMs / HALF_LIFE_MS);
    known.atMs = nowMs;
    return known;
  };

  return {
    spend(owner, ms) {
      const account = settle(owner);
      account.credit = Math.max(-DEBT_MS, account.credit - ms);
      account.used += ms;
    },
    waitMs(owner) {
      if (!accounts.has(owner)) return 0;
      const { credit } = settle(owner);
      return credit > 0 ? 0 : Math.ceil((1 - credit) / rate());
    },
  };
}
