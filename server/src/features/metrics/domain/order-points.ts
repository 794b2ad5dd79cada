import type { SeriesColumns } from './number-rows.ts';
import { type Points, roomForPoints } from './point-rows.ts';

/** Where runs of rising times end. */
function runsOf({ at }: Points): number[] {
  const ends: number[] = [];
  for (let i = 1; i <= at.length; i++) if (i === at.length || (at[i] as number) < (at[i - 1] as number)) ends.push(i);
  return ends;
}

/** Merges each run with the next one; gives where they end now. Of equal times that of the former comes first. */
function mergePairs(from: Points, ends: readonly number[], to: Points): number[] {
  const merged: number[] = [];
  let begin = 0;
  for (let run = 0; run < ends.length; run += 2) {
    const middle = ends[run] as number;
    const end = ends[run + 1] ?? middle;
    for (let place = begin, left = begin, right = middle; place < end; place++) {
      const next = left < middle && (right >= end || (from.at[left] as number) <= (from.at[right] as number)) ? left++ : right++;
      to.at[place] = from.at[next] as number;
      to.value[place] = from.value[next] as number;
    }
    begin = end;
    merged.push(end);
  }
  return merged;
}

function leaveOutRepeated({ at, value }: Points): Points {
  let kept = 0;
  for (let i = 0; i < at.length; i++) {
    if (kept > 0 && at[i] === at[kept - 1]) continue;
    at[kept] = at[i] as number;
    value[kept++] = value[i] as number;
  }
  return kept === at.length ? { at, value } : { at: at.subarray(0, kept), value: value.subarray(0, kept) };
}

/**
 * Points in order of time, each time once, the first of equal ones. They come in runs, one of each part that the store read: one run is
 * left as it is, several are merged. What is given may be written over, as may `spare`, which is at least as long.
 */
export function orderPoints(given: Points, spare?: Points): SeriesColumns {
  let points = given;
  let room = spare;
  for (let ends = runsOf(points); ends.length > 1; ) {
    const to = room ?? roomForPoints(given.at.length);
    ends = mergePairs(points, ends, to);
    room = points;
    points = to;
  }
  const { length } = given.at;
  const isLonger = points.at.length > length;
  return leaveOutRepeated(isLonger ? { at: points.at.subarray(0, length), value: points.value.subarray(0, length) } : points);
}
