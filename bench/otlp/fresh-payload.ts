import { makePayload, type Signal } from './payload.ts';

export interface FreshPayload {
  /** The next request: the same bytes, with times of their own where they have to differ. */
  next(): Buffer;
}

export interface FreshOptions {
  signal: Signal;
  items: number;
  tenant: string | undefined;
  seed: number;
  /** Gives a millisecond that no other point has: points of one series and time are one to the store. */
  takeMs(): number;
}

const HOUR_MS = 3_600_000n;

/**
 * Places of the times in a payload: what differs from the same one of a millisecond later. A millisecond in nanoseconds changes the
 * lowest byte, so the first byte that differs is where a time begins.
 */
function findTimes(payload: Buffer, later: Buffer): number[] {
  const places: number[] = [];
  for (let at = 0; at < payload.length; at += 1) {
    if (payload[at] === later[at]) continue;
    places.push(at);
    at += 7;
  }
  return places;
}

/** One payload to be sent again and again. The points of metrics get new times each time; spans and log records stay as they are. */
export function createFreshPayload({ signal, items, tenant, seed, takeMs }: FreshOptions): FreshPayload {
  const nowMs = Date.now();
  const made = (at: number) => makePayload(signal, { items, nowMs: at, seed, ...(tenant === undefined ? {} : { tenant }) });
  const payload = made(nowMs);
  if (signal !== 'metrics') return { next: () => payload };
  // Each point has its start before its time.
  const places = findTimes(payload, made(nowMs + 1));
  return {
    next() {
      for (let i = 0; i + 1 < places.length; i += 2) {
        const atNs = BigInt(takeMs()) * 1_000_000n;
        payload.writeBigUInt64LE(atNs - HOUR_MS * 1_000_000n, places[i]);
        payload.writeBigUInt64LE(atNs, places[i + 1]);
      }
      // A copy: this one gets new times while that one is still on its way.
      return Buffer.from(payload);
    },
  };
}
