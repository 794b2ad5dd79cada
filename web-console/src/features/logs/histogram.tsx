import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import type { LogHistogram } from '../../api-types.ts';
import { timeTicks } from '../../ui/charts/time-ticks.ts';
import { useWidth } from '../../ui/charts/use-size.ts';
import { formatClock, formatClockSeconds, formatCount, plural } from '../../ui/words/format.ts';
import { LEVEL_WORDS } from './log-words.ts';

const HEIGHT = 96;
const AXIS = 18;
/** Bottom to top: what hurts stands on the line, where its height can be read. */
const ORDER = [6, 5, 4, 3, 2, 1, 0] as const;
const SHORTEST_BRUSH_PX = 4;

interface HistogramProps {
  data: LogHistogram;
  /** A window in RFC 3339. */
  onBrush: (from: string, to: string) => void;
}

interface Bar {
  at: number;
  counts: readonly number[];
  total: number;
}

/** Lines over time by level; dragging sets the window, arrow keys read the bars, Enter takes one as the window. */
export function Histogram({ data, onBrush }: HistogramProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [drag, setDrag] = useState<{ start: number; end: number }>();
  const [read, setRead] = useState<number>();
  const [from, to] = [Date.parse(data.from), Date.parse(data.to)];
  const bars: Bar[] = data.steps.map(({ at, counts }) => ({
    at: Date.parse(at),
    counts,
    total: counts.reduce((sum, count) => sum + count, 0),
  }));
  const most = Math.max(1, ...bars.map(({ total }) => total));
  const toX = (at: number): number => ((at - from) / (to - from)) * width;
  const toTime = (x: number): number => from + (Math.min(Math.max(x, 0), width) / width) * (to - from);
  const xOf = (event: PointerEvent): number => event.clientX - (box.current?.getBoundingClientRect().left ?? 0);
  const take = (start: number, end: number): void => onBrush(new Date(start).toISOString(), new Date(end).toISOString());
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const bar = read === undefined ? undefined : bars[read];
    if (by !== undefined && bars.length > 0)
      setRead(Math.min(Math.max((read ?? (by > 0 ? -1 : bars.length)) + by, 0), bars.length - 1));
    else if (event.key === 'Enter' && bar) take(bar.at, bar.at + data.step_ms);
    else if (event.key === 'Escape') setRead(undefined);
    else return;
    event.preventDefault();
  };
  const pointed = read === undefined ? undefined : bars[read];
  const left = drag ? Math.min(drag.start, drag.end) : 0;
  return (
    <div className="loghist">
      <div
        ref={box}
        className="plot"
        role="slider"
        tabIndex={0}
        aria-label={`Lines over time, ${formatClock(from)} to ${formatClock(to)}. Arrow keys read bars, Enter takes one as the time shown.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={read ?? 0}
        aria-valuetext={pointed ? describeBar(pointed) : 'no bar chosen'}
        onKeyDown={onKey}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ start: xOf(event), end: xOf(event) });
        }}
        onPointerMove={(event) => {
          const x = xOf(event);
          if (drag) setDrag({ ...drag, end: x });
          const at = toTime(x);
          const index = bars.findIndex((bar) => at >= bar.at && at < bar.at + data.step_ms);
          setRead(index < 0 ? undefined : index);
        }}
        onPointerLeave={() => setRead(undefined)}
        onPointerUp={() => {
          if (drag && Math.abs(drag.end - drag.start) >= SHORTEST_BRUSH_PX)
            take(toTime(left), toTime(Math.max(drag.start, drag.end)));
          setDrag(undefined);
        }}
        onPointerCancel={() => setDrag(undefined)}
      >
        {width > 0 ? (
          <svg width={width} height={HEIGHT + AXIS} aria-hidden="true">
            <Bars bars={bars} most={most} toX={toX} stepPx={toX(from + data.step_ms)} />
            <line x1="0" x2={width} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} className="base" />
            {timeTicks(from, to, Math.max(2, Math.floor(width / 80))).map((at) => (
              <text key={at} x={Math.min(Math.max(toX(at), 18), width - 18)} y={HEIGHT + 14} textAnchor="middle" className="ax">
                {formatClock(at)}
              </text>
            ))}
            {drag ? <rect x={left} y="0" width={Math.abs(drag.end - drag.start)} height={HEIGHT} className="brushed" /> : null}
          </svg>
        ) : null}
      </div>
      <p className="s soft reading" aria-hidden="true">
        {pointed ? describeBar(pointed) : `Most in one bar: ${formatCount(most)}. Drag to set the time shown.`}
      </p>
    </div>
  );
}

const describeBar = ({ at, counts, total }: Bar): string => {
  const levels = ORDER.flatMap((level) => {
    const count = counts[level] ?? 0;
    return count > 0 ? [`${formatCount(count)} ${LEVEL_WORDS[level]}`] : [];
  });
  return `${formatClockSeconds(at)}: ${plural(total, 'line')} (${levels.join(', ')})`;
};

interface BarsProps {
  bars: readonly Bar[];
  most: number;
  toX: (at: number) => number;
  stepPx: number;
}

function Bars({ bars, most, toX, stepPx }: BarsProps) {
  const gap = stepPx > 4 ? 1 : 0;
  return bars.map((bar) => {
    let base = HEIGHT;
    return ORDER.map((level) => {
      const count = bar.counts[level] ?? 0;
      if (count === 0) return null;
      // One error among a million lines is still to be seen.
      const height = Math.max((count / most) * (HEIGHT - 4), level >= 4 ? 2 : 0.5);
      base -= height;
      return (
        <rect
          key={`${bar.at}-${level}`}
          x={toX(bar.at)}
          y={Math.max(0, base)}
          width={Math.max(1, stepPx - gap)}
          height={height}
          className={`lv-${level}`}
        />
      );
    });
  });
}

/** Which shade is which level, for those that the window holds. */
export function LevelLegend({ data }: { data: LogHistogram }) {
  const sums = ORDER.map((level) => ({ level, count: data.steps.reduce((sum, { counts }) => sum + (counts[level] ?? 0), 0) }));
  return (
    <ul className="loglegend s">
      {sums
        .filter(({ count }) => count > 0)
        .map(({ level, count }) => (
          <li key={level}>
            <svg width="9" height="9" aria-hidden="true">
              <rect width="9" height="9" className={`lv-${level}`} />
            </svg>
            {LEVEL_WORDS[level]} <b className="num">{formatCount(count)}</b>
          </li>
        ))}
    </ul>
  );
}
