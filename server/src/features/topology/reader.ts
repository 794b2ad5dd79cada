import type { TenantId } from '#kernel';
import type { EdgeSum } from './domain/build-map.ts';

export interface MapQuestion {
  /** Minutes since 1970, the end exclusive. */
  from: number;
  to: number;
  /** Minutes before this one should have been computed. */
  ripe: number;
  limit: number;
}

/** What the minutes of a window hold. */
export interface MinuteSums {
  spans: number;
  /** Spans that say they were sampled. */
  sampled: number;
  /** One trace in so many was counted, and its counts multiplied. */
  one_in: number;
  /** The newest minute that was computed, and how many were. */
  newest: number;
  minutes: number;
}

export interface MapSums {
  /** The busiest first. */
  sums: EdgeSum[];
  /** Undefined where no minute of the window was computed. */
  computed: MinuteSums | undefined;
  /** Ripe minutes that are not computed yet. */
  waiting: number;
}

/** Where edges are read, of minutes that were computed. `unavailable` beyond its bounds. */
export interface MapReader {
  read(tenant: TenantId, question: MapQuestion): Promise<MapSums>;
}
