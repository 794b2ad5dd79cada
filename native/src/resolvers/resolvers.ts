import type { Reading } from '../reading.ts';

/** Servers that are asked for names of some domains alone, such as a company's through its VPN. */
export interface SplitResolvers {
  readonly domains: readonly string[];
  readonly servers: readonly string[];
}

/** The DNS servers that this device asks, numeric, in their order, without a local stub that only forwards. At most 8. */
export interface Resolvers {
  readonly servers: readonly string[];
  /** Where the list stands on this system. */
  readonly source: string;
  /** Which of the servers are for some domains alone, where the system tells (macOS). */
  readonly split?: readonly SplitResolvers[];
}

export type ReadResolvers = () => Promise<Reading<Resolvers>>;
