const AROUND_MS = 15 * 60_000;
const STEP_MS = 5 * 60_000;
const DAY_MS = 86_400_000;

/** The search of a device page that shows half an hour around a moment; a week ago at most, that is how far the page looks back. */
export function searchAround(atMs: number, nowMs: number): { range?: '7d'; from?: string; to?: string } {
  const text = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const middle = Math.round(atMs / STEP_MS) * STEP_MS;
  const to = Math.min(middle + AROUND_MS, Math.ceil(nowMs / STEP_MS) * STEP_MS);
  const brush = { from: text(middle - AROUND_MS), to: text(to) };
  if (nowMs - atMs > 7 * DAY_MS) return { range: '7d' };
  return nowMs - atMs > DAY_MS - AROUND_MS ? { range: '7d', ...brush } : brush;
}
