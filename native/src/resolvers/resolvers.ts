import type { Reading } from '../reading.ts';

/** The DNS servers that this device asks, numeric, in their order, without a local stub that only forwards. At most 8. */
export interface Resolvers {
  readonly servers: readonly string[];
  /** Where the list stands on this system. */
  readonly source: string;
}

export type ReadResolvers = () => Promise<Reading<Resolvers>>;
