import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { timeTicks } from '../../../ui/charts/time-ticks.ts';
import { formatClock } from '../../../ui/words/format.ts';

interface AxisLabelsProps {
  span: TimeSpan;
  width: number;
  y: number;
  toX: (at: number) => number;
}

const LABEL_PX = 90;
/** Half of one, which the ends leave no room for. */
const HALF_PX = 16;

const dayOf = (at: number): string => new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });

/** Round times below a plot; midnight by its day. */
export function AxisLabels({ span: { from, to }, width, y, toX }: AxisLabelsProps) {
  return timeTicks(from, to, Math.max(2, Math.floor(width / LABEL_PX))).map((at) => {
    const x = toX(at);
    if (x < HALF_PX || x > width - HALF_PX) return null;
    const clock = formatClock(at);
    return (
      <text key={at} className="tl-ax" x={x} y={y} textAnchor="middle">
        {clock === '00:00' ? dayOf(at) : clock}
      </text>
    );
  });
}
