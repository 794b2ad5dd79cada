import { type Curve, curvesOf, type Point, pointAt } from './map-edge-path.ts';
import { type MapLayout, NODE_HEIGHT, NODE_WIDTH, type PlacedEdge } from './map-layout.ts';

/** A letter of a label and its line, at the size that the style sheet gives it. */
const LETTER_PX = 6;
const LINE_PX = 12;
/** Between a label and whatever is next to it. */
const MARGIN_PX = 2;
/** Between two points of a line that are looked at, less than a label is high; and of the squares that they are sorted into. */
const SAMPLE_PX = 5;
const SQUARE_PX = 40;

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
  return { left: x - half, right: x + half, top: y - LINE_PX, bottom: y + MARGIN_PX };
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

/** Points of all lines by the square that they are in, so that a label's place is compared with what is near it alone. */
function sampleLines(edges: readonly PlacedEdge[]): (box: Box, own: PlacedEdge) => boolean {
  const squares = new Map<string, { at: Point; of: PlacedEdge }[]>();
  const squareOf = (value: number): number => Math.floor(value / SQUARE_PX);
  for (const placed of edges)
    for (const curve of curvesOf(placed)) {
      const [start, , , end] = curve;
      const steps = Math.ceil((Math.abs(end.x - start.x) + Math.abs(end.y - start.y)) / SAMPLE_PX) + 1;
      for (let step = 0; step <= steps; step++) {
        const at = pointAt(curve, step / steps);
        const key = `${squareOf(at.x)},${squareOf(at.y)}`;
        const square = squares.get(key);
        if (square) square.push({ at, of: placed });
        else squares.set(key, [{ at, of: placed }]);
      }
    }
  return ({ left, right, top, bottom }, own) => {
    for (let x = squareOf(left); x <= squareOf(right); x++)
      for (let y = squareOf(top); y <= squareOf(bottom); y++)
        for (const { at, of } of squares.get(`${x},${y}`) ?? [])
          if (of !== own && at.x > left && at.x < right && at.y > top && at.y < bottom) return true;
    return false;
  };
}

export interface EdgeLabel {
  placed: PlacedEdge;
  text: string;
}

/**
 * Places for labels, the baseline's middle each, so that none covers another, a node or the border, and none stands on the line of another edge
 * where there is a place that does not. What comes first has its place first; an edge without a free place has none, and is read from its title
 * and the list.
 */
export function placeLabels(
  { nodes, width, height }: Pick<MapLayout, 'nodes' | 'width' | 'height'>,
  labels: readonly EdgeLabel[],
): ReadonlyMap<PlacedEdge, Point> {
  const taken: Box[] = nodes.map(({ x, y }) => ({ left: x, right: x + NODE_WIDTH, top: y, bottom: y + NODE_HEIGHT }));
  const places = new Map<PlacedEdge, Point>();
  const standsOnOther = sampleLines(labels.map(({ placed }) => placed));
  for (const { placed, text } of labels) {
    if (text === '') continue;
    const free = [...listPlaces(curvesOf(placed))].flatMap((place) => {
      const box = boxAt(place, text);
      const isOutside = box.left < 0 || box.right > width || box.top < 0 || box.bottom > height;
      return isOutside || taken.some((other) => overlaps(box, other)) ? [] : [{ place, box }];
    });
    const best = free.find(({ box }) => !standsOnOther(box, placed)) ?? free[0];
    if (!best) continue;
    taken.push(best.box);
    places.set(placed, best.place);
  }
  return places;
}
