const MINUTE = 60_000;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880].map((minutes) => minutes * MINUTE);

/** Round times of the viewer's zone within a window, at most `most` of them. */
export function timeTicks(from: number, to: number, most: number): number[] {
  const step = STEPS.find((candidate) => (to - from) / candidate <= most) ?? 7 * 1440 * MINUTE;
  // Aligned to the local midnight, so that hours are round where the reader lives.
  const midnight = new Date(from);
  midnight.setHours(0, 0, 0, 0);
  const start = midnight.getTime() + Math.ceil((from - midnight.getTime()) / step) * step;
  const ticks: number[] = [];
  for (let at = start; at <= to && ticks.length <= most; at += step) ticks.push(at);
  return ticks;
}

/** Four to five round steps over a range of values, from below its least to above its most. */
export function valueTicks(min: number, max: number): number[] {
  const span = Math.max(max - min, 1e-9);
  const raw = span / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  const ticks: number[] = [];
  for (let value = Math.floor(min / step) * step; value < max + step * 0.999; value += step) ticks.push(Number(value.toFixed(6)));
  return ticks;
}
