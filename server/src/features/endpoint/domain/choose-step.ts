const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
/** Samples finer than an hour are kept this long. */
const FINE_MS = 30 * 24 * HOUR_MS;

/**
 * The bucket width, milliseconds, that gives at most `points` over the window: whole seconds, and whole hours where an hour fits or the
 * window reaches further back than samples are kept, since those are read from roll-ups.
 */
export function chooseStep(window: { fromMs: number; toMs: number }, points: number, nowMs: number): number {
  const step = Math.max(SECOND_MS, Math.ceil((window.toMs - window.fromMs) / points / SECOND_MS) * SECOND_MS);
  if (step < HOUR_MS && window.fromMs >= nowMs - FINE_MS) return step;
  return Math.ceil(step / HOUR_MS) * HOUR_MS;
}
