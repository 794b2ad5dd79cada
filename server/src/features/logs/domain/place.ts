import { AppError } from '#kernel';

/** Where a record stands: its time and its place on the bus, which together are its name and the order of lines. */
export interface Place {
  /** Unix nanoseconds. */
  ts: bigint;
  partition: number;
  offset: bigint;
  row: number;
}

const SHAPE = /^(\d{1,19})\.(\d{1,5})\.(\d{1,20})\.(\d{1,10})$/;

/** Opaque to callers; the same record has the same name for as long as it is kept. */
export const encodePlace = ({ ts, partition, offset, row }: Place): string =>
  Buffer.from(`${ts}.${partition}.${offset}.${row}`).toString('base64url');

/** AppError `validation` for text that is none of ours. */
export function decodePlace(text: string, path: 'cursor' | 'id'): Place {
  const [, ts = '', partition = '', offset = '', row = ''] = SHAPE.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  const place = { ts: BigInt(ts), partition: Number(partition), offset: BigInt(offset), row: Number(row) };
  const fits = place.ts < 2n ** 63n && place.partition < 2 ** 16 && place.offset < 2n ** 64n && place.row < 2 ** 32;
  if (ts === '' || !fits) throw new AppError('validation', `Invalid ${path}.`, { faults: [{ path, message: 'unknown' }] });
  return place;
}
