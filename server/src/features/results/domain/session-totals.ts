/** Counts by phase as a list, most often first, by name on a tie; '' is a failure that does not say where. */
export const listPhases = (counts: Readonly<Record<string, number>>): { phase: string | null; count: number }[] =>
  Object.entries(counts)
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([phase, count]) => ({ phase: phase === '' ? null : phase, count }));
