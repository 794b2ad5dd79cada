import { AppError } from '#kernel';

/** The offset that a reader wants next, by partition of the bus. */
export type Positions = ReadonlyMap<number, bigint>;

export interface TailPositions {
  /** Where the answer before the last one ended. */
  before: Positions;
  last: Positions;
}

const SHAPE = /^(\d{1,5}:\d{1,20}(,|$)){0,1024}$/;

const write = (positions: Positions): string => [...positions].map(([partition, offset]) => `${partition}:${offset}`).join(',');

function read(text: string | undefined): Positions {
  if (text === undefined || !SHAPE.test(text))
    throw new AppError('validation', 'Invalid cursor.', { faults: [{ path: 'cursor', message: 'unknown' }] });
  const pairs = text.split(',').filter(Boolean);
  return new Map(
    pairs.map((pair): [number, bigint] => {
      const [partition, offset = ''] = pair.split(':');
      return [Number(partition) % 65_536, BigInt.asUintN(64, BigInt(offset))];
    }),
  );
}

export const encodePositions = ({ before, last }: TailPositions): string =>
  Buffer.from(`${write(before)};${write(last)}`).toString('base64url');

/** AppError `validation` for text that is none of ours. */
export function decodePositions(cursor: string): TailPositions {
  const [before, last] = Buffer.from(cursor, 'base64url').toString('latin1').split(';');
  return { before: read(before), last: read(last) };
}
