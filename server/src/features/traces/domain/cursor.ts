import { AppError } from '#kernel';

export const SORTS = ['time', 'duration'] as const;
export type Sort = (typeof SORTS)[number];

/** Where a page ended: nanoseconds (of the start or of the length) and the ids that tell equal ones apart, in hex. */
export interface Place {
  key: string;
  traceId: string;
  /** Zeros in lists of traces. */
  spanId: string;
}

const TEXT = /^(time|duration):(\d{1,20}):([0-9a-f]{32}):([0-9a-f]{16})$/;
const MAX_INT64 = 2n ** 63n - 1n;

export const encodePlace = (sort: Sort, { key, traceId, spanId }: Place): string =>
  Buffer.from(`${sort}:${key}:${traceId}:${spanId}`).toString('base64url');

/** `validation` for a cursor that is not ours or is of another order. */
export function decodePlace(sort: Sort, cursor: string): Place {
  const [, of, key, traceId, spanId] = TEXT.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const known = of === sort && key !== undefined && traceId !== undefined && spanId !== undefined;
  if (!known || (sort === 'time' && BigInt(key) > MAX_INT64) || BigInt(key) >= 2n ** 64n) {
    const faults = [{ path: 'cursor', message: 'unknown' }];
    throw new AppError('validation', 'Invalid cursor, or one of another sort order.', { faults });
  }
  return { key, traceId, spanId };
}
