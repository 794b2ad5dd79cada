/** Sizes that the buttons go through; 1 is the text at its own size. */
export const ZOOMS = [0.25, 0.35, 0.5, 0.65, 0.8, 1, 1.25, 1.5, 2] as const;
const LEAST = ZOOMS[0];
const MOST = 2;

/** The next size in a direction, also from one between two of the list; the last one stays. */
export function stepZoom(zoom: number, direction: 1 | -1): number {
  if (direction > 0) return ZOOMS.find((size) => size > zoom + 0.001) ?? MOST;
  return ZOOMS.findLast((size) => size < zoom - 0.001) ?? LEAST;
}

/** The size at which a map is seen whole, at most its own; `room` in CSS pixels, 0 while unknown. */
export const fitZoom = (mapWidth: number, room: number): number =>
  room <= 0 || mapWidth <= 0 ? 1 : Math.max(LEAST, Math.min(1, room / mapWidth));

/** Where the map must be scrolled to so that the point under the pointer stays there; `at` from the left edge of what is seen. */
export const scrollAfterZoom = ({
  scroll,
  at,
  before,
  after,
}: {
  scroll: number;
  at: number;
  before: number;
  after: number;
}): number => Math.max(0, ((scroll + at) * after) / before - at);
