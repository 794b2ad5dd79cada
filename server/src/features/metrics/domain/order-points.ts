import type { SeriesColumns } from './number-rows.ts';

/**
 * Points in order of time, each time once. They come in runs, one of each part that the store read, which mostly lie one behind the other:
 * only where they do not is each point put in its place.
 */
export function orderPoints(at: Float64Array, value: Float64Array): SeriesColumns {
  const runs: { begin: number; end: number }[] = [];
  for (let begin = 0, end = 0; begin < at.length; begin = end) {
    for (end = begin + 1; end < at.length && (at[end] as number) >= (at[end - 1] as number); ) end++;
    runs.push({ begin, end });
  }
  runs.sort((a, b) => (at[a.begin] as number) - (at[b.begin] as number));
  const places = new Uint32Array(at.length);
  let filled = 0;
  let apart = true;
  for (const { begin, end } of runs) {
    if (filled > 0 && (at[begin] as number) < (at[places[filled - 1] as number] as number)) apart = false;
    for (let i = begin; i < end; i++) places[filled++] = i;
  }
  if (!apart) places.sort((a, b) => (at[a] as number) - (at[b] as number));
  const ordered = { at: new Float64Array(at.length), value: new Float64Array(at.length) };
  let kept = 0;
  for (const place of places) {
    const time = at[place] as number;
    if (kept > 0 && time === ordered.at[kept - 1]) continue;
    ordered.at[kept] = time;
    ordered.value[kept++] = value[place] as number;
  }
  return { at: ordered.at.subarray(0, kept), value: ordered.value.subarray(0, kept) };
}
