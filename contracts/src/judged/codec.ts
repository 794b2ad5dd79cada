import { z } from 'zod';
import { type JudgedMeasure, MEASURES } from './measures.ts';

const MAX_TARGET = 120;
const Tuple = z.tuple([z.number(), z.number()], z.union([z.number(), z.string().max(MAX_TARGET), z.null()]));
const Encoded = z.partialRecord(z.enum(MEASURES), Tuple);

/** The measures as the text of one attribute, short enough for it: `{"isp_loss_ratio":[0.04,0.02,50,2],...}`. */
export function encodeJudged(measures: readonly JudgedMeasure[]): string {
  const tuples = measures.map(({ measure, value, limit, samples, failed, target }) => {
    const tuple = [value, limit, samples, failed, target?.slice(0, MAX_TARGET) ?? null];
    while (tuple.at(-1) === null) tuple.pop();
    return [measure, tuple] as const;
  });
  return JSON.stringify(Object.fromEntries(tuples));
}

function toObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const numberAt = (tuple: readonly unknown[], index: number): number | null => {
  const value = tuple[index];
  return typeof value === 'number' ? value : null;
};

/** The reverse; null for a text of another shape, which a device may send and nobody has to believe. */
export function decodeJudged(text: string): JudgedMeasure[] | null {
  const parsed = Encoded.safeParse(toObject(text));
  if (!parsed.success) return null;
  return MEASURES.flatMap((measure) => {
    const tuple = parsed.data[measure];
    if (!tuple) return [];
    const target = typeof tuple[4] === 'string' ? tuple[4] : null;
    return [{ measure, value: tuple[0], limit: tuple[1], samples: numberAt(tuple, 2), failed: numberAt(tuple, 3), target }];
  });
}
