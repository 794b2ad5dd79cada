import type { IncidentView } from '@svc/contracts/incidents/incident';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { valueTicks } from '../../../ui/charts/time-ticks.ts';
import { countWords, kindOf, shapeOf, sumBars } from '../../../ui/runs/strip-bars.ts';
import { STATE_NAMES } from '../incident-words.ts';
import { AxisLabels } from './axis.tsx';
import { pathOf } from './lane-lines.ts';
import type { LaneModel, LinesLane, RunsLane, SignalsLane } from './lane-models.ts';

/** Where the plot of each row stands and what it shows. */
export interface Plot {
  labelPx: number;
  width: number;
  shown: TimeSpan;
  toX: (at: number) => number;
}

interface RowProps {
  plot: Plot;
  label: ReactNode;
  note?: string | undefined;
  className?: string;
  children: ReactNode;
}

export function Row({ plot, label, note, className = '', children }: RowProps) {
  return (
    <div className={`tl-row ${className}`} style={{ gridTemplateColumns: `${plot.labelPx}px ${plot.width}px` }}>
      <div className="tl-label">
        {label}
        {note ? <small>{note}</small> : null}
      </div>
      {children}
    </div>
  );
}

/** From when it was opened until it was resolved, or until now. */
export function IncidentRow({ view: { incident }, plot, now }: { view: IncidentView; plot: Plot; now: number }) {
  const { width, toX } = plot;
  const openedAt = toX(Date.parse(incident.opened_at));
  // Whole, also at the edge.
  const opened = openedAt > width - 5 && openedAt <= width ? width - 5 : openedAt;
  const end = Math.min(width, toX(incident.resolved_at ? Date.parse(incident.resolved_at) : now));
  return (
    <Row plot={plot} label={<b>Incident {incident.number}</b>} className="tl-incident">
      <svg width={width} height="20" role="img" aria-label={STATE_NAMES[incident.status]}>
        {opened < -6 || opened > width ? null : <path d={`M${opened} 5l5 9.5h-10z`} fill="var(--ink)" />}
        {end > Math.max(0, opened) ? (
          <path d={`M${Math.max(0, opened + 8)} 10H${end}`} stroke="var(--ink)" strokeWidth="2" />
        ) : null}
        {incident.resolved_at && end < width ? <path d={`M${end} 5v10`} stroke="var(--ink)" strokeWidth="2" /> : null}
      </svg>
    </Row>
  );
}

export function LaneRow({ lane, plot, now }: { lane: LaneModel; plot: Plot; now: number }) {
  if (lane.kind === 'runs') return <RunsRow lane={lane} plot={plot} />;
  if (lane.kind === 'lines') return <LinesRow lane={lane} plot={plot} />;
  if (lane.kind === 'signals') return <SignalsRow lane={lane} plot={plot} now={now} />;
  return (
    <Row plot={plot} label={<span className="tl-clip">{lane.label}</span>} className="tl-runs">
      <span className="s mute">{lane.why}</span>
    </Row>
  );
}

const RUN = { full: 14, widest: 6 } as const;

function RunsRow({ lane: { bars, stepMs, label, testId }, plot }: { lane: RunsLane; plot: Plot }) {
  const { width, shown, toX } = plot;
  const step = (stepMs / (shown.to - shown.from)) * width;
  const barWidth = Math.max(1, Math.min(RUN.widest, step * 0.6));
  const link = (
    <Link to="/tests/$id" params={{ id: testId }} className="tl-clip" title={label}>
      {label}
    </Link>
  );
  return (
    <Row plot={plot} label={link} className="tl-runs">
      <svg width={width} height={RUN.full} role="img" aria-label={`${label}: ${countWords(sumBars(bars))}`}>
        {bars.map((bar) => {
          const x = toX(Date.parse(bar.at));
          if (x < -step || x > width) return null;
          const kind = kindOf(bar);
          const { y, height } = shapeOf(kind, RUN.full);
          // What was not run is a line, not a mark.
          return (
            <rect
              key={bar.at}
              className={`run-${kind}`}
              x={x}
              y={y}
              width={kind === 'not_run' ? step : barWidth}
              height={height}
            />
          );
        })}
      </svg>
    </Row>
  );
}

const SIGNAL = { height: 9, gap: 4 } as const;

function SignalsRow({ lane: { rows, bars, label, note }, plot, now }: { lane: SignalsLane; plot: Plot; now: number }) {
  const { width, shown, toX } = plot;
  const height = rows.length * (SIGNAL.height + SIGNAL.gap) + SIGNAL.gap;
  const words = bars.map(({ title }) => title).slice(0, 5);
  return (
    <Row plot={plot} label={label} note={note} className="tl-signals">
      <svg width={width} height={Math.max(24, height)} role="img" aria-label={`${label}, ${note}: ${words.join('; ')}`}>
        {rows.map((row, index) =>
          row.map(({ id, from, to }) => {
            const [left, right] = [Math.max(0, toX(from)), Math.min(width, toX(to ?? Math.min(now, shown.to)))];
            return right < left ? null : (
              <rect
                key={id}
                className={to === undefined ? 'tl-signal' : 'tl-signal over'}
                x={left}
                y={SIGNAL.gap + index * (SIGNAL.height + SIGNAL.gap)}
                width={Math.max(2, right - left)}
                height={SIGNAL.height}
                rx="1"
              />
            );
          }),
        )}
      </svg>
    </Row>
  );
}

const LINES = { height: 62, top: 10, bottom: 6, name: 11 } as const;
const LOOKS = ['solid', 'dashed', 'dotted'] as const;

/** Where the names of lines stand: at their ends, and never on one another. */
function placeNames(lane: LinesLane, toY: (value: number) => number): { name: string; y: number }[] {
  const ends = lane.lines.flatMap(({ name, points }) => {
    const last = points.findLast(({ value }) => value !== null)?.value;
    return name === '' || last === undefined || last === null ? [] : [{ name, y: Math.max(LINES.name, toY(last) - 4) }];
  });
  let above = -LINES.name;
  return ends
    .toSorted((a, b) => a.y - b.y)
    .map(({ name, y }) => {
      above = Math.max(y, above + LINES.name);
      return { name, y: Math.min(above, LINES.height - 2) };
    });
}

function LinesRow({ lane, plot }: { lane: LinesLane; plot: Plot }) {
  const { width, toX } = plot;
  const { by } = lane.unit;
  const most = Math.max(1, ...lane.lines.flatMap(({ points }) => points.map(({ value }) => (value ?? 0) / by)));
  const ticks = valueTicks(0, most);
  const top = ticks.at(-1) ?? most;
  const toY = (value: number): number => LINES.top + (1 - value / by / top) * (LINES.height - LINES.top - LINES.bottom);
  const marked = [0, top / 2, top];
  return (
    <Row plot={plot} label={<b>{lane.label}</b>} note={lane.note} className="tl-lines">
      <svg width={width} height={LINES.height} role="img" aria-label={`${lane.label}, ${lane.note}: ${describe(lane)}`}>
        {marked.map((value) => (
          <g key={value}>
            <path d={`M0 ${toY(value * by)}H${width}`} stroke="var(--line)" />
            <text className="tl-ax" x="-6" y={toY(value * by) + 4} textAnchor="end">
              {Number(value.toFixed(2))}
            </text>
          </g>
        ))}
        <svg width={width} height={LINES.height} aria-hidden="true">
          {lane.lines.map((line, index) => (
            <path key={line.name} className={`tl-line ${LOOKS[index] ?? 'dotted'}`} d={pathOf(line, { toX, toY })} />
          ))}
        </svg>
        {placeNames(lane, toY).map(({ name, y }) => (
          <text key={name} className="tl-ax tl-name" x={width} y={y} textAnchor="end">
            {name}
          </text>
        ))}
      </svg>
    </Row>
  );
}

const describe = ({ lines, unit }: LinesLane): string =>
  lines
    .flatMap(({ name, points }) => {
      const values = points.flatMap(({ value }) => value ?? []);
      return values.length === 0 ? [] : [`${name ? `${name} ` : ''}up to ${unit.format(Math.max(...values))}`];
    })
    .join(', ');

export function AxisRow({ plot }: { plot: Plot }) {
  return (
    <Row plot={plot} label="" className="tl-axis">
      <svg width={plot.width} height="18" aria-hidden="true">
        <AxisLabels span={plot.shown} width={plot.width} y={13} toX={plot.toX} />
      </svg>
    </Row>
  );
}
