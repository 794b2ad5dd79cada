import { setTimeout } from 'node:timers/promises';
import { probeSizes } from '@svc/native/path/index';
import type { ProbeSizes } from '@svc/native/path/path';
import { measured, type Reading } from '@svc/native/reading';

/** Fewer than the answers that a router gives in a burst: else its limit would look like a size that does not fit. */
const COARSE_BYTES = [600, 1280, 1400, 1460, 1500] as const;
const FINE_STEPS = 4;
/** What is silent is asked again: one packet alone may well be lost. */
const ROUNDS = 3;
/** Routers that limit their answers give one a second. */
const ROUND_MS = 1100;
const TIMEOUT_MS = 1000;

export interface PathMtuRequest {
  /** Numeric address of a host that this device talks to anyway. */
  readonly address: string;
  /** Looks more closely where sizes differ; default false. */
  readonly fine?: boolean;
  readonly signal?: AbortSignal;
}

/** Packets that no router may fragment, of sizes from 600 to 1500 bytes with their IP header. */
export interface PathMtuMeasurement {
  readonly address: string;
  /** The largest that arrived; null where none did, so that nothing is known. */
  readonly mtuBytes: number | null;
  /** The smallest larger one that did not; null where all arrived. */
  readonly lostBytes: number | null;
  /**
   * Small ones arrive, each larger one is lost three times, and nobody said why: connections stand, and stall with their first large
   * packet.
   */
  readonly isBlackHole: boolean;
}

/** Sends at most 15 packets and 19 kB, finely 27 packets and 36 kB; takes at most 4, finely 7 seconds. */
export type MeasurePathMtu = (request: PathMtuRequest) => Promise<Reading<PathMtuMeasurement>>;

interface Found {
  readonly arrived: Set<number>;
  readonly told: Set<number>;
}

export const createMeasurePathMtu =
  (probe: ProbeSizes, roundMs = ROUND_MS): MeasurePathMtu =>
  async ({ address, fine = false, signal }) => {
    const found: Found = { arrived: new Set(), told: new Set() };
    const sweep = async (sizes: readonly number[]): Promise<Reading<unknown>> => {
      let open = sizes;
      for (let round = 0; round < ROUNDS && open.length > 0; round += 1) {
        if (round > 0) await setTimeout(roundMs, undefined, signal ? { signal } : {}).catch(() => undefined);
        signal?.throwIfAborted();
        const limits = { timeoutMs: Math.min(TIMEOUT_MS, roundMs), ...(signal ? { signal } : {}) };
        const reading = await probe({ destination: address, sizes: open, ...limits });
        if ('unavailable' in reading) return reading;
        for (const one of reading.value) {
          if (one.arrived) found.arrived.add(one.packetBytes);
          if (one.told) found.told.add(one.packetBytes);
        }
        open = open.filter((size) => !found.arrived.has(size) && !found.told.has(size));
      }
      return measured(undefined);
    };
    const coarse = await sweep(COARSE_BYTES);
    if ('unavailable' in coarse) return coarse;
    const between = fine ? stepsBetween(summarise(address, found, COARSE_BYTES)) : [];
    if (between.length > 0) await sweep(between);
    return measured(summarise(address, found, [...COARSE_BYTES, ...between]));
  };

export const measurePathMtu: MeasurePathMtu = createMeasurePathMtu(probeSizes);

function stepsBetween({ mtuBytes, lostBytes }: PathMtuMeasurement): number[] {
  if (mtuBytes === null || lostBytes === null) return [];
  const step = (lostBytes - mtuBytes) / (FINE_STEPS + 1);
  return Array.from({ length: FINE_STEPS }, (_, at) => Math.round(mtuBytes + step * (at + 1)));
}

function summarise(address: string, found: Found, asked: readonly number[]): PathMtuMeasurement {
  const sizes = asked.toSorted((one, other) => one - other);
  const mtuBytes = sizes.findLast((size) => found.arrived.has(size)) ?? null;
  if (mtuBytes === null) return { address, mtuBytes, lostBytes: null, isBlackHole: false };
  const larger = sizes.filter((size) => size > mtuBytes);
  // A smaller one that is lost where a larger one arrives was lost by chance.
  const isBlackHole = larger.length > 0 && larger.every((size) => !found.told.has(size));
  return { address, mtuBytes, lostBytes: larger[0] ?? null, isBlackHole };
}
