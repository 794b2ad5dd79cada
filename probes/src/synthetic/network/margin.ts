/**
 * Milliseconds of a run's time that are left for what comes after the last answer: a tenth of it, from 20 to 500. With less, a busy machine
 * that is late would call a host that does not answer a run that did not end.
 */
export const marginOf = (timeoutMs: number): number => Math.min(500, Math.max(20, timeoutMs / 10));
