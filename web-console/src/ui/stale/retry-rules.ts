import { ApiError } from '../../api.ts';

/** The server, or something that it needs, is away or busy: the same question is answered later. */
const AWAY: ReadonlySet<string> = new Set(['network', 'unavailable', 'writer_unavailable', 'rate_limited']);
/** Faults that may pass, but that nobody is kept waiting for: the query took too long, or the service failed. */
const MAY_PASS: ReadonlySet<string> = new Set(['query_limit', 'internal']);
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 5000;
/** Against a bound of requests, each try counts. */
const LIMITED_WAIT_MS = 15_000;
/** How often a question is repeated that is not waited out. */
export const REPEATS = 2;

/** Nothing of this service answered: it is away, or the network to it. */
export const isSilence = (error: unknown): boolean => error instanceof ApiError && error.code === 'network';

/** Waited out: the question stays open, and what is shown stays. */
export const isAway = (error: unknown): boolean => error instanceof ApiError && AWAY.has(error.code);

/** Whether the same question may be answered later, without a change of it. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiError && (AWAY.has(error.code) || MAY_PASS.has(error.code));

export const mayRetry = (failures: number, error: unknown): boolean => isAway(error) || (isPassing(error) && failures < REPEATS);

/** Milliseconds until the next try, after `failures` failures before this one. */
export const waitMs = (failures: number, error: unknown): number =>
  error instanceof ApiError && error.code === 'rate_limited'
    ? LIMITED_WAIT_MS
    : Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
