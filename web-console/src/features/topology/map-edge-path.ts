import { NODE_HEIGHT, NODE_WIDTH, type PlacedEdge } from './map-layout.ts';

export interface Point {
  x: number;
  y: number;
}

/** A cubic curve: start, two control points, end. */
export type Curve = readonly [Point, Point, Point, Point];

/** Room for the arrow's tip before the node. */
const TIP = 3;

/** The curves of an edge from its caller to its callee, level where each begins and ends. */
export function curvesOf({ from, to, via }: PlacedEdge): Curve[] {
  const start = { x: from.x + NODE_WIDTH, y: from.y + NODE_HEIGHT / 2 };
  const end = { x: to.x - TIP, y: to.y + NODE_HEIGHT / 2 };
  if (end.x <= start.x)
    return [[start, { x: start.x + 60, y: start.y + NODE_HEIGHT }, { x: end.x - 60, y: end.y + NODE_HEIGHT }, end]];
  // Level through the columns that it passes: it bends in the gaps alone, where no node stands.
  const between = via.flatMap(({ x, y }) => [
    { x: x - NODE_WIDTH / 2, y },
    { x: x + NODE_WIDTH / 2, y },
  ]);
  const points = [start, ...between, end];
  return points.slice(1).map((next, index): Curve => {
    const last = points[index] ?? next;
    const bend = (next.x - last.x) / 2;
    return [last, { x: last.x + bend, y: last.y }, { x: next.x - bend, y: next.y }, next];
  });
}

/** The curves as an SVG path. */
export function pathOf(curves: readonly Curve[]): string {
  const [first] = curves[0] ?? [{ x: 0, y: 0 }];
  return `M${first.x} ${first.y}${curves.map(([, a, b, end]) => `C${a.x} ${a.y} ${b.x} ${b.y} ${end.x} ${end.y}`).join('')}`;
}

/** The point of a curve at `t`, 0 to 1. */
export function pointAt([a, b, c, d]: Curve, t: number): Point {
  const s = 1 - t;
  const mix = (key: 'x' | 'y'): number =>
    s * s * s * a[key] + 3 * s * s * t * b[key] + 3 * s * t * t * c[key] + t * t * t * d[key];
  return { x: mix('x'), y: mix('y') };
}
