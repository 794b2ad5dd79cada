import '../../../ui/runs/runs.css';
import type { TestSeries, TestSeriesPoint } from '@svc/contracts/tests/calls';
import type { TestType } from '@svc/contracts/tests/test-types';
import { type KeyboardEvent, type PointerEvent, useMemo } from 'react';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { MarkLines } from '../../../ui/charts/moment-marks.tsx';
import { timeTicks } from '../../../ui/charts/time-ticks.ts';
import { useWidth } from '../../../ui/charts/use-size.ts';
import { phaseWord, reachedPhases } from '../../../ui/runs/phase-words.ts';
import { formatClock, formatClockSeconds, formatMoment, formatMs, formatSpan } from '../../../ui/words/format.ts';
import { PhaseLegend } from '../phase-bar.tsx';
import { PLOT, type PlacedBar, placeBars } from './phase-plot.ts';

/** A point that is read: by pointer or arrow keys, kept by Enter or a click. */
export interface Reading {
  at: string | undefined;
  pinned: boolean;
}

interface PhasesCardProps {
  series: TestSeries | undefined;
  type: TestType;
  span: TimeSpan;
  /** The assertion on the total, where there is one. */
  limitMs: number | undefined;
  from: string | undefined;
  reading: Reading;
  onRead: (reading: Reading) => void;
}

/** Phases stacked over time, with the limit that decides. */
export function PhasesCard({ series, type, span, limitMs, from, reading, onRead }: PhasesCardProps) {
  const points = series?.points ?? [];
  const each = series?.step_seconds ? `means of ${formatMs(series.step_seconds * 1000)}` : 'each run';
  return (
    <section className="card" aria-labelledby="phases-h">
      <header>
        <h2 id="phases-h">Phases</h2>
        <span className="s mute">
          {each}
          {from ? ` from ${from}` : ''}, {formatSpan(span.from, span.to, Date.now())}
        </span>
        <span className="grow" />
        <PhaseLegend phases={reachedPhases(points)} type={type} />
      </header>
      {series && points.length === 0 ? (
        <p className="soft s phasenone">Nothing ran in this time.</p>
      ) : (
        <PhasePlot points={points} series={series} type={type} span={span} limitMs={limitMs} reading={reading} onRead={onRead} />
      )}
    </section>
  );
}

/** "14:16:05: DNS 25 ms, TLS 3.4 s, total 4.0 s, failed" */
export function readingWords(point: TestSeriesPoint, type: TestType): string {
  const phases = reachedPhases([point]).map((phase) => `${phaseWord(phase, type)} ${formatMs(point.phases[phase] ?? 0)}`);
  const total = point.total_ms === null ? 'no total' : `total ${formatMs(point.total_ms)}`;
  return `${formatMoment(point.at, Date.now())}: ${[...phases, total].join(', ')}${point.failed > 0 ? ', failed' : ''}`;
}

interface PlotProps {
  points: readonly TestSeriesPoint[];
  series: TestSeries | undefined;
  type: TestType;
  span: TimeSpan;
  limitMs: number | undefined;
  reading: Reading;
  onRead: (reading: Reading) => void;
}

function PhasePlot({ points, series, type, span, limitMs, reading, onRead }: PlotProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const stepMs = series?.step_seconds ? series.step_seconds * 1000 : undefined;
  const plot = useMemo(() => placeBars({ points, span, width, stepMs, limitMs }), [points, span, width, stepMs, limitMs]);
  const at = points.findIndex((point) => point.at === reading.at);
  const read = (index: number): void => {
    const point = points[Math.min(Math.max(index, 0), points.length - 1)];
    if (point) onRead({ ...reading, at: point.at });
  };
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by !== undefined) read(at < 0 ? (by > 0 ? 0 : points.length - 1) : at + by);
    else if (event.key === 'Enter' && at >= 0) onRead({ ...reading, pinned: !reading.pinned });
    else if (event.key === 'Escape') onRead({ at: undefined, pinned: false });
    else return;
    event.preventDefault();
  };
  const nearest = (event: PointerEvent): PlacedBar | undefined => {
    const x = event.clientX - (box.current?.getBoundingClientRect().left ?? 0);
    const gap = (bar: PlacedBar): number => Math.abs(bar.x + bar.width / 2 - x);
    return plot.bars.toSorted((a, b) => gap(a) - gap(b))[0];
  };
  const point = points[at];
  return (
    <div
      ref={box}
      className="phaseplot"
      role="slider"
      tabIndex={0}
      aria-label="Phases over time. Arrow keys read bars, Enter keeps one."
      aria-valuemin={0}
      aria-valuemax={Math.max(0, points.length - 1)}
      aria-valuenow={Math.max(0, at)}
      aria-valuetext={point ? readingWords(point, type) : 'no bar chosen'}
      onKeyDown={onKey}
      onPointerMove={(event) => {
        if (!reading.pinned) onRead({ at: nearest(event)?.point.at, pinned: false });
      }}
      onPointerLeave={() => {
        if (!reading.pinned) onRead({ at: undefined, pinned: false });
      }}
      onClick={() => {
        if (reading.at) onRead({ ...reading, pinned: !reading.pinned });
      }}
    >
      {width > 0 ? (
        <>
          <PlotSvg plot={plot} width={width} span={span} limitMs={limitMs} at={point?.at} />
          <MarkLines span={span} toX={plot.toX} top={PLOT.top} height={PLOT.height - PLOT.top - PLOT.bottom} />
        </>
      ) : null}
    </div>
  );
}

interface PlotSvgProps {
  plot: ReturnType<typeof placeBars>;
  width: number;
  span: TimeSpan;
  limitMs: number | undefined;
  at: string | undefined;
}

function PlotSvg({ plot, width, span, limitMs, at }: PlotSvgProps) {
  const { bars, ticks, unit, toX, toY } = plot;
  const chosen = bars.find((bar) => bar.point.at === at);
  const base = PLOT.height - PLOT.bottom;
  const clock = span.to - span.from < 600_000 ? formatClockSeconds : formatClock;
  return (
    <svg width={width} height={PLOT.height} aria-hidden="true">
      <text className="testaxis" x="0" y="11">
        {unit.word}
      </text>
      {ticks.map(({ value, y }) => (
        <g key={value}>
          <path className="testgrid" d={`M${PLOT.left} ${y}H${width}`} />
          <text className="testaxis" x={PLOT.left - 6} y={y + 4} textAnchor="end">
            {value}
          </text>
        </g>
      ))}
      {bars.map(({ point, x, width: barWidth, parts }) => (
        <g key={point.at}>
          {parts.map(({ phase, y, height }) => (
            <rect key={phase} className={`fill-${phase}`} x={x} y={y} width={barWidth} height={Math.max(0.5, height)} />
          ))}
          {point.failed > 0 ? <rect className="run-failed" x={x} y={base} width={barWidth} height="3" /> : null}
        </g>
      ))}
      {limitMs === undefined ? null : (
        <g>
          <path className="testlimit" d={`M${PLOT.left} ${toY(limitMs)}H${width}`} />
          <text className="testaxis ink" x={PLOT.left + 4} y={toY(limitMs) - 5}>
            fails from {formatMs(limitMs)} on: assertion on the total
          </text>
        </g>
      )}
      {chosen ? <path className="testcross" d={`M${chosen.x + chosen.width / 2} ${PLOT.top}V${base}`} /> : null}
      {timeTicks(span.from, span.to, Math.max(3, Math.floor(width / 90))).map((tick) => (
        <text key={tick} className="testaxis" x={toX(tick)} y={PLOT.height - 4} textAnchor="middle">
          {clock(tick)}
        </text>
      ))}
    </svg>
  );
}
