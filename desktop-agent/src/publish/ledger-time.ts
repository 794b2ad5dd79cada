const MAX_DATE_MS = 8.64e15;

/** False for a time that cannot be one, which earlier versions took into a record from whoever held the socket. */
export const isDate = (ms: number): boolean => Math.abs(ms) <= MAX_DATE_MS;

/** ISO 8601. A time that is no date is no reason to show none of the other records. */
export const iso = (ms: number): string => (isDate(ms) ? new Date(ms).toISOString() : 'unknown time');
