/** How long before its answer a call may have begun, and how long after it an answer may. */
export const CALLER_BEFORE_MINUTES = 5;
export const CALLEE_AFTER_MINUTES = 2;
/** Senders batch for some seconds: a minute is computed for the first time when most of it is there. */
export const CLOSED_AFTER_MS = 10_000;
/** Spans whose callers are looked for at once; of more, one trace in so many is counted. */
export const MAX_SPANS = 500_000;
/** Connections of one kind that a minute keeps by name, the busiest; further ones are kept together. */
export const MAX_EDGES = 1000;
/** Whom those beyond the bound are said to go to or come from. */
export const OTHER = 'other';
/** Where Linux and IANA let the ports of clients begin. */
export const FIRST_CLIENT_PORT = 32_768;
