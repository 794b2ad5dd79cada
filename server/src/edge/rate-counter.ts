import { hash, randomBytes } from 'node:crypto';
import { AppError } from '#kernel';

const COLUMNS = 2 ** 16;

export interface RateLimit {
  max: number;
  windowMs: number;
}

/**
 * Counts requests by key over a sliding window in fixed memory (1 MiB), however many keys there are: two rows of counters, each key in one
 * place of both, of which the smaller counts. Nothing is evicted, so nobody gets a fresh budget by driving others out; a key that shares both
 * of its places with busier ones is counted high, which needs tens of thousands of busy keys. Places are chosen with a secret.
 */
export function createRateCounter({ max, windowMs }: RateLimit, nowMs: () => number = () => performance.now()) {
  const secret = randomBytes(16).toString('hex');
  let current = new Uint32Array(2 * COLUMNS);
  let previous = new Uint32Array(2 * COLUMNS);
  let began = nowMs();

  /** How much of the window is over, 0 to 1. */
  const advance = (): number => {
    const over = Math.floor((nowMs() - began) / windowMs);
    if (over > 0) {
      [current, previous] = [previous, current];
      current.fill(0);
      if (over > 1) previous.fill(0);
      began += over * windowMs;
    }
    return (nowMs() - began) / windowMs;
  };

  const placesOf = (key: string): readonly [number, number] => {
    const digest = hash('sha256', secret + key, 'buffer');
    return [digest.readUInt16LE(0), COLUMNS + digest.readUInt16LE(2)];
  };

  /** Milliseconds until `weight` more fit; at most a window. */
  const waitFor = (weight: number, before: number, now: number): number => {
    const room = max - weight - now;
    return room < 0 || before === 0 ? windowMs : Math.max(0, 1 - room / before) * windowMs;
  };

  return {
    /** 0 when `weight` requests fit and are counted; otherwise none is, and the milliseconds after which it makes sense to try again. */
    take(key: string, weight = 1): number {
      const elapsed = advance();
      const [a, b] = placesOf(key);
      const at = (row: Uint32Array): number => Math.min(row[a] as number, row[b] as number);
      const [now, before] = [at(current), at(previous)];
      if (now + before * (1 - elapsed) + weight > max) return Math.max(1, waitFor(weight, before, now) - elapsed * windowMs);
      for (const place of [a, b]) current[place] = Math.max(current[place] as number, now + weight);
      return 0;
    },
    /** Undoes one `take` of 1. */
    giveBack(key: string): void {
      advance();
      for (const place of placesOf(key)) current[place] = Math.max(0, (current[place] as number) - 1);
    },
  };
}

export type RateCounter = ReturnType<typeof createRateCounter>;

const MINUTE_MS = 60_000;

export const perMinute = (max: number): RateCounter => createRateCounter({ max, windowMs: MINUTE_MS });

/** AppError `rate_limited` where `take` did not count; `whose` ends the sentence about the budget. */
export function demand(waitMs: number, max: number, whose: string): void {
  if (waitMs <= 0) return;
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  throw new AppError('rate_limited', `More than ${max} requests per minute ${whose}. Wait and try again.`, { retryAfterSeconds });
}
