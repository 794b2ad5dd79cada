import { writeInstant } from '../address/time-range.ts';
import type { BrushField, TimeSpan } from './brush-span.ts';

export const isWhole = (span: TimeSpan, strip: TimeSpan): boolean => span.from <= strip.from && span.to >= strip.to;

/** The brushed span of an address where there is one that overlaps the strip, else the whole strip. */
export function shownSpan(search: { from?: string | undefined; to?: string | undefined }, strip: TimeSpan): TimeSpan {
  const from = Date.parse(search.from ?? '');
  const to = Date.parse(search.to ?? '');
  if (!(from < to) || to <= strip.from || from >= strip.to) return strip;
  return { from: Math.max(from, strip.from), to: Math.min(to, strip.to) };
}

/** What the address says of a brushed span; both keys undefined for one that leaves out less than half a step at either end. */
export function brushSearch(
  span: TimeSpan | undefined,
  { strip, stepMs }: BrushField,
): { from: string | undefined; to: string | undefined } {
  const slack = stepMs / 2;
  const whole = !span || (span.from < strip.from + slack && span.to > strip.to - slack);
  return whole ? { from: undefined, to: undefined } : { from: writeInstant(span.from), to: writeInstant(span.to) };
}
