/** A stretch of time, Unix milliseconds. */
export interface TimeSpan {
  from: number;
  to: number;
}

/** What a brush moves in and by how much: the whole, and its least step. */
export interface BrushField {
  strip: TimeSpan;
  stepMs: number;
}

/** Keeps a span inside the strip and at least one step long. */
export function clampSpan(span: TimeSpan, { strip, stepMs }: BrushField): TimeSpan {
  const from = Math.min(Math.max(Math.min(span.from, span.to), strip.from), strip.to - stepMs);
  const to = Math.max(Math.min(Math.max(span.from, span.to), strip.to), from + stepMs);
  return { from, to };
}

export type Grip = 'new' | 'from' | 'to' | 'move';

export interface Drag {
  grip: Grip;
  startAt: number;
  start: TimeSpan;
  span: TimeSpan;
}

/** Where a drag is when the pointer is at a time. */
export function dragged({ grip, startAt, start }: Omit<Drag, 'span'>, at: number, field: BrushField): TimeSpan {
  const { strip, stepMs } = field;
  const snap = (time: number): number => Math.round(time / stepMs) * stepMs;
  if (grip === 'new') return clampSpan({ from: snap(startAt), to: snap(at) }, field);
  const by = snap(at - startAt);
  if (grip === 'from') return clampSpan({ from: Math.min(start.from + by, start.to - stepMs), to: start.to }, field);
  if (grip === 'to') return clampSpan({ from: start.from, to: Math.max(start.to + by, start.from + stepMs) }, field);
  const shift = Math.min(Math.max(by, strip.from - start.from), strip.to - start.to);
  return { from: start.from + shift, to: start.to + shift };
}

const DIRECTION: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

/** Where an arrow key on one edge takes a span; undefined for every other key. */
export function spanByKey({ grip, key }: { grip: Grip; key: string }, shown: TimeSpan, field: BrushField): TimeSpan | undefined {
  const direction = DIRECTION[key];
  return direction === undefined ? undefined : dragged({ grip, startAt: 0, start: shown }, direction * field.stepMs, field);
}
