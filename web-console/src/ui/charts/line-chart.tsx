import 'uplot/dist/uPlot.min.css';
import './line-chart.css';
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import { formatClock, formatMoment, formatUtc } from '../words/format.ts';
import { alignTraces, findGaps, nearestIndex, type RawSeries, tracePoints, usualStep } from './chart-data.ts';
import { type ChartLook, plotOptions } from './chart-options.ts';
import { type Crosshair, useCrosshair } from './crosshair.ts';
import { PlotMarks } from './moment-marks.tsx';
import { timeUnder } from './time-plot.ts';
import { useDrawnTheme, useWidth } from './use-size.ts';

export interface ChartLine {
  label: string;
  data: RawSeries;
  /** Value with its unit, for the box. */
  format: (value: number) => string;
  look: 'solid' | 'dashed' | 'dotted';
  /** Loss stands in a lane of its own under the plot, with a fixed top. */
  lane?: boolean;
}

interface LineChartProps extends Pick<ChartLook, 'threshold' | 'range' | 'gapWord'> {
  title: string;
  lines: readonly ChartLine[];
  from: number;
  to: number;
  /** Length of a bucket, and of a single reading's interval: shorter buckets hold one reading. */
  stepMs: number;
  rawStepMs: number;
  crosshair: Crosshair;
  /** Lines switched off by their legend. */
  hidden: ReadonlySet<string>;
  height?: number;
}

/** A time series people can read: gaps are gaps, exact values by pointer or arrow keys, one cross-hair over the page. */
export function LineChart(props: LineChartProps) {
  const { lines, from, to, stepMs, rawStepMs, crosshair, hidden, height = 176 } = props;
  const [box, width] = useWidth<HTMLDivElement>();
  const theme = useDrawnTheme();
  const host = useRef<HTMLDivElement>(null);
  const [plot, setPlot] = useState<uPlot>();
  const drawn = useMemo(() => lines.filter((line) => !line.lane && !hidden.has(line.label)), [lines, hidden]);
  const lane = lines.find((line) => line.lane && !hidden.has(line.label));
  const all = useMemo(() => [...new Set(lines.flatMap((line) => line.data.ts))].sort((a, b) => a - b), [lines]);
  useEffect(() => {
    if (!host.current || width === 0) return;
    const { at, values } = alignTraces(drawn.map((line) => tracePoints(line.data, stepMs, rawStepMs)));
    const look: ChartLook = {
      width,
      height,
      from,
      to,
      lines: drawn.map((line) => line.look),
      gaps: findGaps(all, { from, to, stepMs }),
      gapWord: props.gapWord,
      threshold: props.threshold,
      range: props.range,
      lane: lane?.data,
      theme,
    };
    const options = plotOptions(look);
    // Only then does it know where its plot stands.
    const made = new uPlot(
      { ...options, hooks: { ...options.hooks, ready: [setPlot] } },
      [at, ...values] as uPlot.AlignedData,
      host.current,
    );
    return () => {
      made.destroy();
      setPlot(undefined);
    };
  }, [width, height, from, to, drawn, lane, all, stepMs, rawStepMs, props.gapWord, props.threshold, props.range, theme]);
  const step = usualStep(all, stepMs);
  const shown = lane ? [...drawn, lane] : drawn;
  const reading = useReading(crosshair, shown, step);
  const timeAt = (event: PointerEvent): number | undefined => timeUnder(plot, host.current, event);
  return (
    <div ref={box} className="chart">
      <div
        ref={host}
        className="plot"
        role="slider"
        tabIndex={0}
        aria-label={`${props.title}, ${formatClock(from)} to ${formatClock(to)}. Arrow keys read values, Enter pins.`}
        aria-valuemin={from}
        aria-valuemax={to}
        aria-valuenow={reading.now}
        aria-valuetext={reading.text}
        onPointerMove={(event) => crosshair.point(timeAt(event))}
        onPointerLeave={() => crosshair.point(undefined)}
        onClick={() => crosshair.togglePin()}
        onKeyDown={(event) => onKey(event, all, crosshair)}
        style={{ height }}
      />
      {plot && width > 0 ? <PlotMarks plot={plot} span={{ from, to }} /> : null}
      {plot && width > 0 ? <CrosshairLayer plot={plot} crosshair={crosshair} lines={shown} step={step} /> : null}
    </div>
  );
}

function onKey(event: KeyboardEvent, times: readonly number[], crosshair: Crosshair): void {
  const { at } = crosshair.read();
  const index = at === undefined ? times.length - 1 : nearestIndex(times, at, Number.POSITIVE_INFINITY);
  const target = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: times.length - 1 }[event.key];
  const time = target === undefined ? undefined : times[Math.min(Math.max(target, 0), times.length - 1)];
  if (time !== undefined) crosshair.move(time);
  else if (event.key === 'Enter') crosshair.togglePin();
  else if (event.key === 'Escape' && at !== undefined) {
    crosshair.clear();
    event.stopPropagation();
  } else return;
  event.preventDefault();
}

const valueAt = (line: ChartLine, at: number, step: number): string | undefined => {
  const value = line.data.avg[nearestIndex(line.data.ts, at, step)];
  return value === undefined ? undefined : line.format(value);
};

const readValues = (lines: readonly ChartLine[], at: number, step: number): string[] =>
  lines.flatMap((line) => {
    const value = valueAt(line, at, Math.max(step, usualStep(line.data.ts, step)));
    return value === undefined ? [] : [lines.length > 1 ? `${line.label.toLowerCase()} ${value}` : value];
  });

function useReading(crosshair: Crosshair, lines: readonly ChartLine[], step: number): { now: number; text: string } {
  const { at } = useCrosshair(crosshair);
  if (at === undefined) return { now: 0, text: 'no time chosen' };
  const values = readValues(lines, at, step);
  return {
    now: Math.round(at),
    text: `${formatMoment(at, Date.now())}: ${values.join(', ') || 'not measured'}`,
  };
}

interface LayerProps {
  plot: uPlot;
  crosshair: Crosshair;
  lines: readonly ChartLine[];
  step: number;
}

const CHAR_PX = 6.2;
const BOX_EXTRA_PX = 76;

/** Where the box has room without covering the point: right of it, else left, else along the side with more room. */
function boxSide({ left, inner, offset, text }: { left: number; inner: number; offset: number; text: string }) {
  const need = text.length * CHAR_PX + BOX_EXTRA_PX;
  const right = inner - left;
  if (need <= right || right >= left) return { left: offset + left + 10, maxWidth: right - 10 };
  return { right: `calc(100% - ${offset + left - 10}px)`, maxWidth: left - 10 };
}

/** The line, the dots and the box with exact values; the box stands on the side where it covers no point. */
function CrosshairLayer({ plot, crosshair, lines, step }: LayerProps) {
  const { at, pinned } = useCrosshair(crosshair);
  const [from, to] = [plot.scales.x?.min ?? 0, plot.scales.x?.max ?? 0];
  if (at === undefined || at < from || at > to) return null;
  const offset = plot.bbox.left / devicePixelRatio;
  const top = plot.bbox.top / devicePixelRatio;
  const inner = plot.bbox.width / devicePixelRatio;
  const left = plot.valToPos(at, 'x');
  const values = readValues(lines, at, step);
  const side = boxSide({ left, inner, offset, text: values.join('  ') });
  return (
    <div className="hair" aria-hidden="true">
      <i style={{ left: offset + left, top, height: plot.bbox.height / devicePixelRatio }} />
      {lines
        .filter((line) => !line.lane)
        .map((line) => {
          const index = nearestIndex(line.data.ts, at, Math.max(step, usualStep(line.data.ts, step)));
          const value = line.data.avg[index];
          return value === undefined ? null : (
            <u
              key={line.label}
              style={{ left: offset + plot.valToPos(line.data.ts[index] ?? at, 'x'), top: top + plot.valToPos(value, 'y') }}
            />
          );
        })}
      <span className="hairbox" style={{ ...side, top: top + 4 }} title={formatUtc(at)}>
        <b className="num">{formatClock(at)}</b> {values.join('  ') || 'not measured'}
        {pinned ? <em> pinned</em> : null}
      </span>
    </div>
  );
}
