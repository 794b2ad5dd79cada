import type { MapEdge, Topology } from '../../api-types.ts';

/** Failing often enough to be marked. */
export const isFailing = (of: { error_ratio: number | null; errors: number }): boolean =>
  (of.error_ratio ?? 0) >= 0.01 && of.errors > 0;

export interface MapFault {
  /** The deepest failing connection. */
  edge: MapEdge;
  /** Failing connections that lead to it, and so may fail because of it. */
  leading: number;
  /** Failing connections elsewhere. */
  others: number;
}

const byErrors = (a: MapEdge, b: MapEdge): number =>
  b.errors - a.errors || a.source.localeCompare(b.source) || a.target.localeCompare(b.target);

/** Where the failing begins: of the failing connections whose callee has no failing call of its own, the one with the most errors. */
export function findMapFault({ edges }: Pick<Topology, 'edges'>): MapFault | undefined {
  const failing = edges.filter(isFailing).toSorted(byErrors);
  const callsOf = Map.groupBy(failing, ({ source }) => source);
  const isDeepest = ({ target }: MapEdge): boolean => (callsOf.get(target) ?? []).every((call) => call.target === target);
  // Calls that fail in a circle have no end: the one with the most errors stands for them.
  const edge = failing.find(isDeepest) ?? failing[0];
  if (edge === undefined) return undefined;
  const leading = countLeading(failing, edge);
  return { edge, leading, others: failing.length - 1 - leading };
}

function countLeading(failing: readonly MapEdge[], edge: MapEdge): number {
  const callers = Map.groupBy(failing, ({ target }) => target);
  const seen = new Set<MapEdge>([edge]);
  const open = [edge];
  for (let at = open.pop(); at; at = open.pop()) {
    for (const before of callers.get(at.source) ?? []) {
      if (seen.has(before)) continue;
      seen.add(before);
      open.push(before);
    }
  }
  return seen.size - 1;
}
