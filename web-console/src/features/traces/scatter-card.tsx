import 'uplot/dist/uPlot.min.css';
import { useNavigate } from '@tanstack/react-router';
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import type { Latency, Scatter } from '../../api-types.ts';
import { PlotMarks } from '../../ui/charts/moment-marks.tsx';
import { MIN_BRUSH_PX } from '../../ui/charts/time-plot.ts';
import { useDrawnTheme, useWidth } from '../../ui/charts/use-size.ts';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { formatClock, formatClockSeconds, formatCount, formatMs, plural } from '../../ui/words/format.ts';
import { LEAST_MS, QUANTILES, type Step, stepAt } from './quantile-lines.ts';
import { type Point, scatterOptions } from './scatter-plot.ts';
import type { TracesSearch } from './traces-search.ts';

const HEIGHT = 180;
const REACH_PX = 14;

interface ScatterCardProps {
  scatter: Scatter | undefined;
  /** Its lines follow the points; undefined where there are too few. */
  latency: Latency | undefined;
  /** Whether its lines could not be read; the points are there all the same. */
  linesFailed: boolean;
  stale: boolean;
  onBrush: (part: TracesSearch) => void;
}

/** How long each took over time; drag to look closer, click a point to open its trace. */
export function ScatterCard({ scatter, latency, linesFailed, stale, onBrush }: ScatterCardProps) {
  const shown = scatter?.points.length ?? 0;
  return (
    <section className="card" aria-label="Duration over time">
      <header>
        <h2>Duration</h2>
        <span className="s mute">ms, drag to zoom, click a point to open it</span>
        <span className="grow" />
        <span className="s soft row tr-legend">
          <i className="tr-dot" /> ok <i className="tr-cross">×</i> failed
          {latency ? QUANTILES.map(({ name, dash }) => <LineKey key={name} name={name} dash={dash} />) : null}
        </span>
        {linesFailed ? <span className="s mute">Quantiles could not be read; Refresh asks again.</span> : null}
        {scatter && shown < scatter.total ? (
          <span className="s mute">
            {formatCount(shown)} of {formatCount(scatter.total)} shown, failed and slowest first
          </span>
        ) : null}
      </header>
      <div className={stale ? 'tr-scatter stale' : 'tr-scatter'}>
        {scatter ? <ScatterPlot scatter={scatter} latency={latency} onBrush={onBrush} /> : <Ghost width="100%" />}
      </div>
    </section>
  );
}

const LineKey = ({ name, dash }: { name: string; dash: readonly number[] }) => (
  <>
    <svg width="18" height="8" aria-hidden="true">
      <line x1="0" y1="4" x2="18" y2="4" stroke="var(--s-1)" strokeWidth="1.3" strokeDasharray={dash.join(' ')} />
    </svg>{' '}
    {name}
  </>
);

interface PlotProps {
  scatter: Scatter;
  latency: Latency | undefined;
  onBrush: (part: TracesSearch) => void;
}

/** What the pointer is at: a point, or else the step that it is in. */
type Near = { left: number; top: number } & ({ point: Point } | { point?: never; step: Step; latency: Latency });

function ScatterPlot({ scatter, latency, onBrush }: PlotProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const host = useRef<HTMLDivElement>(null);
  const theme = useDrawnTheme();
  const [plot, setPlot] = useState<uPlot>();
  const [near, setNear] = useState<Near>();
  const pressed = useRef<number>(undefined);
  const navigate = useNavigate();
  const points = useMemo(() => [...scatter.points].sort((a, b) => a.at - b.at), [scatter]);
  useEffect(() => {
    if (!host.current || width === 0) return;
    const window = { from: Date.parse(scatter.from), to: Date.parse(scatter.to) };
    const brush = (from: number, to: number): void => {
      setNear(undefined);
      onBrush({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
    };
    const options = scatterOptions({ ...window, points, latency, width, height: HEIGHT, theme, onBrush: brush });
    const data: uPlot.AlignedData = [points.map(({ at }) => at), points.map(({ ms }) => ms)];
    const made = new uPlot({ ...options, hooks: { ...options.hooks, ready: [setPlot] } }, data, host.current);
    return () => {
      made.destroy();
      setPlot(undefined);
    };
  }, [points, latency, scatter.from, scatter.to, width, theme, onBrush]);
  const point = (event: PointerEvent): void =>
    setNear(plot && host.current ? (nearest(plot, points, event) ?? stepUnder(plot, latency, event)) : undefined);
  return (
    <div ref={box} className="tr-chart">
      <div
        ref={host}
        role="img"
        aria-label={`${plural(scatter.total, 'duration')} over time, ${formatCount(scatter.errors)} failed. The table below lists them.`}
        style={{ height: HEIGHT, cursor: near?.point ? 'pointer' : 'crosshair' }}
        onPointerMove={point}
        onPointerLeave={() => setNear(undefined)}
        onPointerDown={(event) => (pressed.current = event.clientX)}
        onPointerUp={(event) => {
          // A drag chooses time instead.
          if (near?.point && Math.abs(event.clientX - (pressed.current ?? 0)) < MIN_BRUSH_PX)
            void navigate({ to: '/traces/$id', params: { id: near.point.trace_id }, search: { span: near.point.span_id } });
        }}
      />
      {plot && width > 0 ? <PlotMarks plot={plot} span={{ from: Date.parse(scatter.from), to: Date.parse(scatter.to) }} /> : null}
      {near ? (
        <div
          className="tr-tip"
          style={{ left: Math.min(near.left + 12, Math.max(0, width - 250)), top: Math.max(0, near.top - 44) }}
        >
          {near.point ? <PointTip point={near.point} /> : <StepTip step={near.step} latency={near.latency} />}
        </div>
      ) : null}
    </div>
  );
}

const PointTip = ({ point }: { point: Point }) => (
  <>
    <b>{point.service}</b> {point.name}
    <br />
    <span className="num">
      {formatMs(point.ms)} at {formatClockSeconds(point.at)}
      {point.error ? ', failed' : ''}
    </span>
  </>
);

function StepTip({ step, latency: { step_ms: stepMs, of } }: { step: Step; latency: Latency }) {
  const from = Date.parse(step.at);
  const clock = stepMs % 60_000 === 0 ? formatClock : formatClockSeconds;
  return (
    <span className="num">
      {clock(from)} to {clock(from + stepMs)}
      <br />
      {plural(step.total, of === 'roots' ? 'request' : 'span')}
      {step.errors > 0 ? `, ${formatCount(step.errors)} failed` : ''}
      <br />
      {QUANTILES.map((quantile) => `${quantile.name} ${formatMs(quantile.of(step))}`).join(', ')}
    </span>
  );
}

function stepUnder(plot: uPlot, latency: Latency | undefined, event: PointerEvent): Near | undefined {
  const area = plot.over.getBoundingClientRect();
  const [x, y] = [event.clientX - area.left, event.clientY - area.top];
  const step = latency && stepAt(latency, plot.posToVal(x, 'x'));
  return step && { step, latency, left: x + plot.over.offsetLeft, top: y + plot.over.offsetTop };
}

/** The point under the pointer, if one is close enough. */
function nearest(
  plot: uPlot,
  points: readonly Point[],
  event: PointerEvent,
): { point: Point; left: number; top: number } | undefined {
  const area = plot.over.getBoundingClientRect();
  const [x, y] = [event.clientX - area.left, event.clientY - area.top];
  let best: { point: Point; left: number; top: number } | undefined;
  let reach = REACH_PX;
  for (const point of points) {
    const left = plot.valToPos(point.at, 'x');
    if (Math.abs(left - x) > reach) continue;
    const top = plot.valToPos(Math.max(point.ms, LEAST_MS), 'y');
    const distance = Math.hypot(left - x, top - y);
    if (distance > reach) continue;
    reach = distance;
    best = { point, left: left + plot.over.offsetLeft, top: top + plot.over.offsetTop };
  }
  return best;
}
