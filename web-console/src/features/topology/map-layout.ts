import { Graph, layout } from '@dagrejs/dagre';
import type { MapEdge, MapNode } from '../../api-types.ts';

export const NODE_WIDTH = 152;
export const NODE_HEIGHT = 50;
const COLUMN_GAP = 96;
const ROW_GAP = 22;
const PAD = 12;
/** More than this is no picture any more; the list beside it has all. */
export const MOST_NODES = 60;
/** Between edges that pass a column beside each other. */
const EDGE_GAP = 14;

interface Point {
  x: number;
  y: number;
}

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
  via: Point[];
}

export interface MapLayout {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
  /** Nodes left out, the least busy ones. */
  hidden: number;
}

/** Nodes in the order in which circles are to be cut: from those on whom nobody calls. */
function inOrder(nodes: readonly MapNode[], edges: readonly MapEdge[]): MapNode[] {
  const callers = new Map<string, number>();
  for (const { target } of edges) callers.set(target, (callers.get(target) ?? 0) + 1);
  return nodes.toSorted((a, b) => (callers.get(a.id) ?? 0) - (callers.get(b.id) ?? 0) || (a.id < b.id ? -1 : 1));
}

/** Callers left, callees right, in columns with few crossings, by dagre; the same map gives the same picture. */
export function layOutMap(allNodes: readonly MapNode[], allEdges: readonly MapEdge[]): MapLayout {
  const weight = (node: MapNode): number => node.calls * 1e6 + node.bytes_in + node.bytes_out;
  const shown = allNodes.toSorted((a, b) => weight(b) - weight(a) || a.id.localeCompare(b.id)).slice(0, MOST_NODES);
  const known = new Set(shown.map(({ id }) => id));
  const edges = allEdges.filter(({ source, target }) => known.has(source) && known.has(target));
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: ROW_GAP, edgesep: EDGE_GAP, ranksep: COLUMN_GAP, marginx: PAD, marginy: PAD });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of inOrder(shown, edges)) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const [index, { source, target }] of edges.entries()) graph.setEdge(source, target, {}, String(index));
  layout(graph);
  const placed = new Map<string, PlacedNode>();
  for (const node of shown) {
    const { x, y } = graph.node(node.id) as Point;
    placed.set(node.id, { node, x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 });
  }
  const columns = new Set([...placed.values()].map(({ x }) => Math.round(x + NODE_WIDTH / 2)));
  const { width = 2 * PAD, height = 2 * PAD } = graph.graph() as { width?: number; height?: number };
  return {
    nodes: [...placed.values()],
    edges: edges.flatMap((edge, index) => {
      const [from, to] = [placed.get(edge.source), placed.get(edge.target)];
      if (!from || !to) return [];
      const { points } = graph.edge(edge.source, edge.target, String(index)) as { points: Point[] };
      // Of its points those in the columns that it passes; its ends and the middles of gaps follow from these.
      const via = points.filter(({ x }) => columns.has(Math.round(x)) && x > from.x + NODE_WIDTH && x < to.x);
      return [{ edge, from, to, via }];
    }),
    width,
    height,
    hidden: allNodes.length - shown.length,
  };
}
