import { type Curve, curvesOf, type Point, pointAt } from './map-edge-path.ts';
import { type MapLayout, NODE_HEIGHT, NODE_WIDTH, type PlacedEdge } from './map-layout.ts';

/** A letter of a label and its line, at the size that the style sheet gives it. */
const LETTER_PX = 6;
const LINE_PX = 12;
/** Between a label and whatever is next to it. */
const MARGIN_PX = 2;

/** Nearer to where it arrives first: many edges leave one node at one point. */
const PLACES = [0.62, 0.5, 0.72, 0.4, 0.8, 0.3, 0.2] as const;
/** The baseline above the line, or below it. */
const SIDES = [-4, LINE_PX] as const;

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const boxAt = ({ x, y }: Point, text: string): Box => {
  const half = (text.length * LETTER_PX) / 2 + MARGIN_PX;
  return { left: x - half, right: x + half, top: y - LINE_PX + MARGIN_PX, bottom: y + MARGIN_PX };
};

const overlaps = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Where the label of an edge may stand, the best place first: on its last stretch, then on those before. */
function* listPlaces(curves: readonly Curve[]): Generator<Point> {
  for (const curve of curves.toReversed())
    for (const t of PLACES) {
      const { x, y } = pointAt(curve, t);
      for (const side of SIDES) yield { x, y: y + side };
    }
}

export interface EdgeLabel {
  placed: PlacedEdge;
  text: string;
}

/**
 * Places for labels, the baseline's middle each, so that none covers another, a node or the border. What comes first has its place first; an
 * edge without a free place has none, and is read from its title and the list.
 */
export function placeLabels(
  { nodes, width, height }: Pick<MapLayout, 'nodes' | 'width' | 'height'>,
  labels: readonly EdgeLabel[],
): ReadonlyMap<PlacedEdge, Point> {
  const taken: Box[] = nodes.map(({ x, y }) => ({ left: x, right: x + NODE_WIDTH, top: y, bottom: y + NODE_HEIGHT }));
  const places = new Map<PlacedEdge, Point>();
  for (const { placed, text } of labels) {
    if (text === '') continue;
    for (const place of listPlaces(curvesOf(placed))) {
      const box = boxAt(place, text);
      if (box.left < 0 || box.right > width || box.top < 0 || box.bottom > height) continue;
      if (taken.some((other) => overlaps(box, other))) continue;
      taken.push(box);
      places.set(placed, place);
      break;
    }
  }
  return places;
}
