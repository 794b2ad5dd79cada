import type { MapEdge, MapNode } from '../../api-types.ts';

export const NODE_WIDTH = 152;
export const NODE_HEIGHT = 50;
const COLUMN_GAP = 96;
const ROW_GAP = 22;
const PAD = 12;
/** More than this is no picture any more; the list beside it has all. */
export const MOST_NODES = 60;
const SWEEPS = 12;

export interface PlacedNode {
  node: MapNode;
  x: number;
  y: number;
}

export interface PlacedEdge {
  edge: MapEdge;
  from: PlacedNode;
  to: PlacedNode;
  /** Middles of the free places that it goes through in the columns between. */
  via: { x: number; y: number }[];
}

export interface MapLayout {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
  /** Nodes left out, the least busy ones. */
  hidden: number;
}

type Links = ReadonlyMap<string, readonly string[]>;

function linksOf(edges: readonly Pick<MapEdge, 'source' | 'target'>[], end: 'source' | 'target'): Links {
  const links = new Map<string, string[]>();
  const other = end === 'source' ? 'target' : 'source';
  for (const edge of edges) links.set(edge[end], [...(links.get(edge[end]) ?? []), edge[other]]);
  return links;
}

/** Edges that close a circle, found by walking from callers to callees; they are drawn backwards. */
function findBackEdges(ids: readonly string[], callees: Links): Set<string> {
  const back = new Set<string>();
  const state = new Map<string, 'open' | 'done'>();
  for (const start of ids) {
    const stack: { id: string; next: number }[] = state.has(start) ? [] : [{ id: start, next: 0 }];
    if (stack.length > 0) state.set(start, 'open');
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const target = callees.get(top.id)?.[top.next++];
      if (target === undefined) {
        state.set(top.id, 'done');
        stack.pop();
      } else if (state.get(target) === 'open') back.add(`${top.id}\n${target}`);
      else if (!state.has(target)) {
        state.set(target, 'open');
        stack.push({ id: target, next: 0 });
      }
    }
  }
  return back;
}

/** The column of each node: one more than its furthest caller's. */
function findColumns(ids: readonly string[], callers: Links, back: ReadonlySet<string>): Map<string, number> {
  const columns = new Map<string, number>(ids.map((id) => [id, 0]));
  // Without circles this ends after as many rounds as the longest way has steps.
  for (let round = 0, changed = true; changed && round < ids.length; round++) {
    changed = false;
    for (const id of ids) {
      const before = (callers.get(id) ?? []).filter((caller) => !back.has(`${caller}\n${id}`));
      const column = Math.max(0, ...before.map((caller) => (columns.get(caller) ?? 0) + 1));
      if (column !== columns.get(id)) {
        columns.set(id, column);
        changed = true;
      }
    }
  }
  return columns;
}

/** How many pairs of steps between neighbouring columns cross. */
function countCrossings(columns: readonly string[][], callees: Links): number {
  const rows = new Map(columns.flatMap((column) => column.map((id, row) => [id, row] as const)));
  let crossings = 0;
  for (const column of columns) {
    const ends = column.map((id) => (callees.get(id) ?? []).map((target) => rows.get(target) ?? 0));
    for (const [row, own] of ends.entries())
      for (const below of ends.slice(row + 1)) for (const a of own) for (const b of below) if (b < a) crossings++;
  }
  return crossings;
}

/** Orders a column by the middle of its neighbours' places; who has none stays where it is. */
function sortColumn(column: string[], links: Links, places: Map<string, number>): void {
  const weight = new Map(
    column.map((id) => {
      const known = (links.get(id) ?? []).map((other) => places.get(other)).filter((place) => place !== undefined);
      const middle = known.length > 0 ? known.reduce((sum, place) => sum + place, 0) / known.length : (places.get(id) ?? 0);
      return [id, middle] as const;
    }),
  );
  column.sort((a, b) => (weight.get(a) ?? 0) - (weight.get(b) ?? 0));
  for (const [row, id] of column.entries()) places.set(id, (row + 0.5) / column.length);
}

/** The order with the fewest crossings of those that sweeps to the right and to the left find. */
function orderColumns(columns: readonly string[][], callers: Links, callees: Links): string[][] {
  const places = new Map(columns.flatMap((column) => column.map((id, row) => [id, (row + 0.5) / column.length] as const)));
  let best = columns.map((column) => [...column]);
  let fewest = countCrossings(best, callees);
  const work = columns.map((column) => [...column]);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const [order, links] = sweep % 2 === 0 ? [work, callers] : [work.toReversed(), callees];
    for (const column of order) sortColumn(column, links, places);
    const crossings = countCrossings(work, callees);
    if (crossings < fewest) [best, fewest] = [work.map((column) => [...column]), crossings];
  }
  return best;
}

/** The stations of an edge: its ends, and between them a free place in each column that it passes. */
function wayOf({ source, target }: MapEdge, index: number, columns: ReadonlyMap<string, number>): string[] {
  const between = (columns.get(target) ?? 0) - (columns.get(source) ?? 0) - 1;
  return [source, ...Array.from({ length: Math.max(0, between) }, (_, step) => `${index} ${step}`), target];
}

/** Callers left, callees right, in columns; the same map gives the same picture. */
export function layOutMap(allNodes: readonly MapNode[], allEdges: readonly MapEdge[]): MapLayout {
  const weight = (node: MapNode): number => node.calls * 1e6 + node.bytes_in + node.bytes_out;
  const shown = allNodes.toSorted((a, b) => weight(b) - weight(a) || a.id.localeCompare(b.id)).slice(0, MOST_NODES);
  const ids = shown.map(({ id }) => id).sort();
  const known = new Set(ids);
  const edges = allEdges.filter(({ source, target }) => known.has(source) && known.has(target));
  const [callees, callers] = [linksOf(edges, 'source'), linksOf(edges, 'target')];
  // Circles are cut where the walk began: with those whom nobody calls.
  const starts = ids.toSorted((a, b) => (callers.get(a)?.length ?? 0) - (callers.get(b)?.length ?? 0) || a.localeCompare(b));
  const byNode = findColumns(ids, callers, findBackEdges(starts, callees));
  const ways = edges.map((edge, index) => wayOf(edge, index, byNode));
  const unordered: string[][] = [];
  const put = (id: string, at: number): void => {
    const column = unordered[at] ?? [];
    unordered[at] = column;
    column.push(id);
  };
  for (const id of ids) put(id, byNode.get(id) ?? 0);
  for (const way of ways)
    for (const [step, id] of way.slice(1, -1).entries()) put(id, (byNode.get(way[0] ?? '') ?? 0) + 1 + step);
  const steps = ways.flatMap((way) => way.slice(1).map((target, step) => ({ source: way[step] ?? '', target })));
  const columns = orderColumns(unordered, linksOf(steps, 'target'), linksOf(steps, 'source'));
  const tallest = Math.max(1, ...columns.map((column) => column.length));
  const height = tallest * (NODE_HEIGHT + ROW_GAP) - ROW_GAP + 2 * PAD;
  const middles = new Map<string, { x: number; y: number }>();
  for (const [at, column] of columns.entries()) {
    const step = (height - 2 * PAD + ROW_GAP) / column.length;
    for (const [row, id] of column.entries())
      middles.set(id, {
        x: PAD + at * (NODE_WIDTH + COLUMN_GAP) + NODE_WIDTH / 2,
        y: PAD + (row + 0.5) * step - ROW_GAP / 2,
      });
  }
  const placed = new Map<string, PlacedNode>();
  for (const node of shown) {
    const middle = middles.get(node.id);
    if (middle) placed.set(node.id, { node, x: middle.x - NODE_WIDTH / 2, y: middle.y - NODE_HEIGHT / 2 });
  }
  return {
    nodes: [...placed.values()],
    edges: edges.flatMap((edge, index) => {
      const [from, to] = [placed.get(edge.source), placed.get(edge.target)];
      const via = (ways[index] ?? []).slice(1, -1).flatMap((id) => middles.get(id) ?? []);
      return from && to ? [{ edge, from, to, via }] : [];
    }),
    width: columns.length * (NODE_WIDTH + COLUMN_GAP) - COLUMN_GAP + 2 * PAD,
    height,
    hidden: allNodes.length - shown.length,
  };
}
