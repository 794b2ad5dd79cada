import 'uplot/dist/uPlot.min.css';
import '../../ui/charts/line-chart.css';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import type { Exemplar, MetricRange } from '../../api-types.ts';
import { PlotMarks } from '../../ui/charts/moment-marks.tsx';
import { timeUnder } from '../../ui/charts/time-plot.ts';
import { useDrawnTheme, useWidth } from '../../ui/charts/use-size.ts';
import { formatClockSeconds, formatMoment, formatSpan, formatUtc } from '../../ui/words/format.ts';
import type { LineLook } from './line-looks.ts';
import { alignLines, metricOptions } from './metric-plot.ts';
import type { Line } from './metrics-search.ts';

const HEIGHT = 300;
/** Lines named in the box at the cross-hair. */
const MAX_NAMED = 10;

interface ChartProps {
  range: Pick<MetricRange, 'from' | 'to' | 'step_ms'>;
  lines: readonly Line[];
  looks: readonly LineLook[];
  names: readonly string[];
  exemplars: readonly Exemplar[];
  /** Exemplars have the values of the axis; others stand on its ground. */
  placed: boolean;
  /** The line that is looked at in the table. */
  looked: number | undefined;
  title: string;
  format: (value: number) => string;
  onBrush: (from: number, to: number) => void;
}

/** Lines over time: exact values by pointer or arrow keys, a drag zooms, a dot opens the trace of one measurement. */
export function MetricChart(props: ChartProps) {
  const { range, lines, looks, looked, format, onBrush } = props;
  const [box, width] = useWidth<HTMLDivElement>();
  const host = useRef<HTMLDivElement>(null);
  const theme = useDrawnTheme();
  const [plot, setPlot] = useState<uPlot>();
  const [step, setStep] = useState<number>();
  const from = Date.parse(range.from);
  const to = Date.parse(range.to);
  const brush = useRef(onBrush);
  brush.current = onBrush;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the tokens that the options read.
  useEffect(() => {
    if (!host.current || width === 0) return;
    const grid = { from, to, stepMs: range.step_ms };
    const calls = { onBrush: (a: number, b: number) => brush.current(a, b), onReady: setPlot };
    const look = { ...grid, lines, looks, width, height: HEIGHT, format, ...calls };
    const made = new uPlot(metricOptions(look), alignLines(lines, grid), host.current);
    return () => {
      made.destroy();
      setPlot(undefined);
    };
  }, [from, to, range.step_ms, lines, looks, width, format, theme]);
  useEffect(() => {
    plot?.setSeries(looked === undefined ? null : looked + 1, { focus: looked !== undefined });
  }, [plot, looked]);
  const steps = Math.max(1, Math.ceil((to - from) / range.step_ms));
  const stepAt = (event: PointerEvent): number | undefined => {
    const under = timeUnder(plot, host.current, event);
    if (under === undefined) return undefined;
    return Math.min(steps - 1, Math.max(0, Math.round((under - from) / range.step_ms)));
  };
  const at = step === undefined ? undefined : from + step * range.step_ms;
  return (
    <div ref={box} className="chart">
      <div
        ref={host}
        className="plot mt-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${props.title}, ${formatSpan(from, to, Date.now())}. Arrow keys read values.`}
        aria-valuemin={from}
        aria-valuemax={to}
        aria-valuenow={at ?? to}
        aria-valuetext={at === undefined ? 'no time chosen' : describeStep(props, at)}
        onPointerMove={(event) => setStep(stepAt(event))}
        onPointerLeave={() => setStep(undefined)}
        onKeyDown={(event) => {
          const next = nextStep(event, step, steps);
          if (next === step) return;
          setStep(next);
          event.preventDefault();
        }}
        style={{ height: HEIGHT }}
      />
      {plot && width > 0 ? <PlotMarks plot={plot} span={{ from, to }} /> : null}
      {plot && width > 0 ? <Dots {...props} plot={plot} /> : null}
      {plot && width > 0 && at !== undefined ? <Reading {...props} plot={plot} at={at} /> : null}
    </div>
  );
}

function nextStep(event: KeyboardEvent, step: number | undefined, steps: number): number | undefined {
  const last = steps - 1;
  const now = step ?? last + 1;
  if (event.key === 'Escape') return undefined;
  const wanted = { ArrowLeft: now - 1, ArrowRight: now + 1, PageUp: now - 10, PageDown: now + 10, Home: 0, End: last }[event.key];
  return wanted === undefined ? step : Math.min(last, Math.max(0, wanted));
}

interface Read {
  place: number;
  name: string;
  value: number;
}

/** The values of a step, the largest first. */
function readStep(lines: readonly Line[], names: readonly string[], at: number): Read[] {
  return lines
    .flatMap(({ ts, values }, place): Read[] => {
      const value = values[ts.indexOf(at)];
      return value === undefined ? [] : [{ place, name: names[place] ?? '', value }];
    })
    .sort((a, b) => b.value - a.value);
}

const describeStep = ({ lines, names, format }: ChartProps, at: number): string => {
  const read = readStep(lines, names, at).map(({ name, value }) => `${name} ${format(value)}`);
  return `${formatMoment(at, Date.now())}: ${read.join(', ') || 'no value'}`;
};

/** The cross-hair with the exact values of its step. */
function Reading({ plot, at, lines, looks, names, format, looked }: ChartProps & { plot: uPlot; at: number }) {
  const offset = plot.bbox.left / devicePixelRatio;
  const inner = plot.bbox.width / devicePixelRatio;
  const left = plot.valToPos(at, 'x');
  const top = plot.bbox.top / devicePixelRatio;
  const read = readStep(lines, names, at);
  const side = left < inner / 2 ? { left: offset + left + 12 } : { right: `calc(100% - ${offset + left - 12}px)` };
  return (
    <div className="hair" aria-hidden="true">
      <i style={{ left: offset + left, top, height: plot.bbox.height / devicePixelRatio }} />
      {read.map(({ place, value }) => (
        <u key={place} style={{ left: offset + left, top: top + plot.valToPos(value, 'y'), borderColor: looks[place]?.color }} />
      ))}
      <div className="hairbox mt-box" style={{ ...side, top: top + 4 }} title={formatUtc(at)}>
        <b className="num">{formatClockSeconds(at)}</b>
        {read.slice(0, MAX_NAMED).map(({ place, name, value }) => (
          <span key={place} className={place === looked ? 'mt-read on' : 'mt-read'}>
            <i style={{ background: looks[place]?.color }} />
            <span className="mt-cut">{name}</span>
            <b className="num" title={String(value)}>
              {format(value)}
            </b>
          </span>
        ))}
        {read.length > MAX_NAMED ? <span className="mute">{read.length - MAX_NAMED} more below</span> : null}
        {read.length === 0 ? <span className="mute">no value</span> : null}
      </div>
    </div>
  );
}

/** Measurements that have a trace. The list under the chart holds the same links for the keyboard. */
function Dots({ plot, exemplars, placed, range, format }: ChartProps & { plot: uPlot }) {
  const offset = plot.bbox.left / devicePixelRatio;
  const top = plot.bbox.top / devicePixelRatio;
  const height = plot.bbox.height / devicePixelRatio;
  const [from, to] = [Date.parse(range.from), Date.parse(range.to)];
  const shown = exemplars.filter(({ at, trace_id: trace }) => trace !== '' && Date.parse(at) >= from && Date.parse(at) <= to);
  return (
    <div className="mt-dots">
      {shown.map(({ at, value, trace_id: trace, span_id: span }) => (
        <Link
          key={`${at} ${trace} ${span}`}
          to="/traces/$id"
          params={{ id: trace }}
          tabIndex={-1}
          draggable={false}
          title={`${format(value)} at ${formatClockSeconds(at)}: open its trace`}
          aria-label={`Trace of ${format(value)} at ${formatClockSeconds(at)}`}
          style={{
            left: offset + plot.valToPos(Date.parse(at), 'x'),
            top: top + (placed ? Math.min(height, Math.max(0, plot.valToPos(value, 'y'))) : height),
          }}
        />
      ))}
    </div>
  );
}
