/** A computation reads ten minutes on either side of its stretch, so that neighbours are cheaper together. */
const LONGEST_STRETCH = 20;
const LARGEST_GAP = 5;

/** Minutes in groups that are computed together, each in order; every minute is in one group. */
export function groupMinutes(minutes: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (const minute of minutes.toSorted((a, b) => a - b)) {
    const group = groups.at(-1);
    const [first = 0, last = 0] = [group?.[0], group?.at(-1)];
    if (group && minute - last <= LARGEST_GAP && minute - first < LONGEST_STRETCH) group.push(minute);
    else groups.push([minute]);
  }
  return groups;
}
