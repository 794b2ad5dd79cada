import type { EdgeSum } from './build-map.ts';
import { addDurations } from './quantile.ts';

/** How many calls away from what is hurt a cause is looked for. */
const MAX_DEPTH = 4;
const INTO: readonly EdgeSum['kind'][] = ['call', 'message', 'entry', 'unseen'];

/** Edges of the services and of what these call, nearest first; and those by which others call what is called. */
export function findNeighbourhood<Edge extends Pick<EdgeSum, 'source' | 'target' | 'calls'>>(
  edges: readonly Edge[],
  services: ReadonlySet<string>,
): Edge[] {
  const found = new Set<Edge>();
  const reached = new Set(services);
  let front: ReadonlySet<string> = services;
  for (let depth = 0; depth < MAX_DEPTH && front.size > 0; depth += 1) {
    const next = edges.filter(({ source }) => front.has(source));
    for (const edge of next) found.add(edge);
    front = new Set(next.map(({ target }) => target).filter((name) => !reached.has(name)));
    for (const name of front) reached.add(name);
  }
  for (const edge of edges) if (reached.has(edge.target)) found.add(edge);
  return [...found];
}

/** All that a service was asked, whoever asked. */
export function mergeEdges(sums: readonly EdgeSum[], service: string): Pick<EdgeSum, 'calls' | 'errors' | 'durations'> {
  const durations = new Map<number, number>();
  let [calls, errors] = [0, 0];
  for (const sum of sums) {
    if (sum.target !== service || !INTO.includes(sum.kind)) continue;
    calls += sum.calls;
    errors += sum.errors;
    addDurations(durations, sum.durations);
  }
  return { calls, errors, durations };
}
