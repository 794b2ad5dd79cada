export interface ResolverRequest {
  /** Numeric address of the DNS server. */
  readonly server: string;
  /** Default 53. */
  readonly port?: number;
  /** The name asked for; any answer of the server is a success, also that there is no such name. */
  readonly name: string;
  /** Queries, 1 to 25, default 3. */
  readonly count?: number;
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface ResolverMeasurement {
  readonly server: string;
  readonly isPrivate: boolean;
  /** At least one answer that is not a server failure. */
  readonly success: boolean;
  readonly sent: number;
  readonly lost: number;
  readonly lossRatio: number;
  readonly rttsMs: readonly number[];
  readonly rttAvgMs: number | null;
  /** DNS response code of the last answer, such as NOERROR, NXDOMAIN, SERVFAIL. */
  readonly responseCode: string | null;
  readonly error?: string;
}

export type MeasureResolver = (request: ResolverRequest) => Promise<ResolverMeasurement>;
