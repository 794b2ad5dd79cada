import { useWidth } from '../../../ui/charts/use-size.ts';
import type { RumHost } from '../rum-queries.ts';
import { tracePath } from './over-time-plot.ts';

type Point = RumHost['series']['points'][number];

const HEIGHT = 34;
const PAD = 2;

interface SparklineProps {
  points: readonly Point[];
  read: (point: Point) => number | undefined;
  /** Drawn as a dashed line. */
  limit: number;
}

/** The shape over the time shown, with its limit; its figures are drawn below, under "Over time". */
export function Sparkline({ points, read, limit }: SparklineProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const values = points.map((point) => ({ at: Date.parse(point.at), value: read(point) }));
  const top = Math.max(limit * 1.15, ...values.map(({ value }) => value ?? 0), Number.MIN_VALUE);
  const [first, last] = [values[0]?.at ?? 0, values.at(-1)?.at ?? 1];
  const toX = (at: number): number => ((at - first) / Math.max(1, last - first)) * width;
  const toY = (value: number): number => HEIGHT - PAD - (value / top) * (HEIGHT - 2 * PAD);
  return (
    <div ref={box} className="rum-spark">
      {width > 0 ? (
        <svg width={width} height={HEIGHT} aria-hidden="true">
          <path className="rum-limit" d={`M0 ${toY(limit)}H${width}`} />
          <path className="rum-line-1" d={tracePath(values, { toX, toY })} />
        </svg>
      ) : null}
    </div>
  );
}
