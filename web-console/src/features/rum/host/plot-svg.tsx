import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { timeTicks } from '../../../ui/charts/time-ticks.ts';
import { formatCount } from '../../../ui/words/format.ts';
import type { RumHost } from '../rum-queries.ts';
import { clockFor, PLOT, type placePlot, tracePath } from './over-time-plot.ts';

interface PlotSvgProps {
  view: RumHost;
  span: TimeSpan;
  plot: ReturnType<typeof placePlot>;
  width: number;
  /** The moment that is read. */
  at: number | undefined;
}

/** What a line of words of the chart may take, px a letter. */
const LETTER_PX = 6;

export function PlotSvg({ view, span, plot, width, at }: PlotSvgProps) {
  const { points, step_seconds } = view.series;
  const { toX, toY, toBar, lines, limit } = plot;
  const stepMs = step_seconds * 1000;
  const clock = clockFor(span);
  const barWidth = Math.max(1, toX(span.from + stepMs) - toX(span.from) - 1);
  const end = width - PLOT.right;
  return (
    <svg width={width} height={PLOT.height} aria-hidden="true">
      <text className="rum-axis" x="0" y={PLOT.top - 14}>
        {plot.word}
      </text>
      {plot.ticks.map(({ value, y }) => (
        <g key={value}>
          <path className="rum-grid" d={`M${PLOT.left} ${y}H${end}`} />
          <text className="rum-axis" x={PLOT.left - 6} y={y + 4} textAnchor="end">
            {value}
          </text>
        </g>
      ))}
      <path className="rum-limit" d={`M${PLOT.left} ${toY(limit.value)}H${end}`} />
      {limit.words.length * LETTER_PX < width - PLOT.left ? (
        <text className="rum-axis rum-axis-ink" x={PLOT.left + 4} y={toY(limit.value) - 5}>
          {limit.words}
        </text>
      ) : null}
      {points.map((point) => (
        <rect
          key={point.at}
          className="rum-viewbar"
          x={toX(Date.parse(point.at))}
          y={PLOT.barsBottom - toBar(point.views)}
          width={barWidth}
          height={toBar(point.views)}
        />
      ))}
      <text className="rum-axis" x={PLOT.left - 6} y={PLOT.barsTop + 8} textAnchor="end">
        {formatCount(plot.mostViews)}
      </text>
      <Marks view={view} span={span} toX={toX} />
      {lines.map(({ name, read }, index) => (
        <path
          key={name}
          className={`rum-line-${index + 1}`}
          d={tracePath(
            points.map((point) => ({ at: Date.parse(point.at) + stepMs, value: read(point) })),
            { toX, toY },
          )}
        />
      ))}
      {at === undefined ? null : <path className="rum-cross" d={`M${toX(at)} ${PLOT.top}V${PLOT.barsBottom}`} />}
      {timeTicks(span.from, span.to, Math.max(3, Math.floor(width / 90))).map((tick) => {
        const x = toX(tick);
        return x < PLOT.left + 12 || x > width - 18 ? null : (
          <text key={tick} className="rum-axis" x={x} y={PLOT.height - 6} textAnchor="middle">
            {clock(tick)}
          </text>
        );
      })}
    </svg>
  );
}

/** A change is a diamond and a line over the full height, an incident a triangle and a bar for as long as it lasted. */
function Marks({ view, span, toX }: Pick<PlotSvgProps, 'view' | 'span'> & { toX: (at: number) => number }) {
  const inside = (at: number): number => Math.min(Math.max(at, span.from), span.to);
  return (
    <>
      {view.changes.map(({ id, at, number, title }) => {
        const moment = Date.parse(at);
        if (moment < span.from || moment > span.to) return null;
        const x = toX(moment);
        return (
          <g key={id}>
            <path className="rum-change" d={`M${x} 10V${PLOT.barsBottom}`} />
            <path className="rum-mark" d={`M${x - 5} 9l5-5 5 5-5 5z`}>
              <title>{`Change ${number}: ${title}`}</title>
            </path>
          </g>
        );
      })}
      {view.incidents.map(({ id, from, to, number, title }) => {
        const [begin, end] = [inside(Date.parse(from)), inside(to === null ? span.to : Date.parse(to))];
        return (
          <g key={id}>
            <path className="rum-mark" d={`M${toX(begin) - 4.5} 13l4.5-9 4.5 9z`}>
              <title>{`Incident ${number}: ${title}`}</title>
            </path>
            <path className="rum-incidentbar" d={`M${toX(begin) + 7} 9H${Math.max(toX(begin) + 7, toX(end))}`} />
          </g>
        );
      })}
    </>
  );
}
