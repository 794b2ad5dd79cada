import '../../../ui/runs/runs.css';
import './timeline.css';
import type { IncidentView } from '@svc/contracts/incidents/incident';
import { useMemo, useState } from 'react';
import { ChangeLane } from '../../../ui/changes/change-lane.tsx';
import { useIncidentChanges } from '../../../ui/changes/use-incident-changes.ts';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { TimeBrush } from '../../../ui/charts/time-brush.tsx';
import { useNow } from '../../../ui/moments/time.tsx';
import { formatDuration, formatSpan } from '../../../ui/words/format.ts';
import { AxisLabels } from './axis.tsx';
import { countOpen, focusOf, lanesOf, stepOf, stripOf } from './lane-rows.ts';
import { Lanes } from './lanes.tsx';

const OVERVIEW = { height: 54, base: 38, bars: 20, steps: 120 } as const;

const isWithin = (span: TimeSpan, whole: TimeSpan): boolean => span.from >= whole.from && span.to <= whole.to;

/** All planes on one time: above what lies around the incident, below what the frame shows of it, lane by lane. */
export function TimelineCard({ view }: { view: IncidentView }) {
  const now = useNow(30_000);
  const [strip, focus] = useMemo(() => [stripOf(view, now), focusOf(view, now)], [view, now]);
  const [chosen, setChosen] = useState<TimeSpan | 'whole'>();
  const [dragging, setDragging] = useState<TimeSpan>();
  const kept = chosen === 'whole' ? strip : chosen && isWithin(chosen, strip) ? chosen : focus;
  const shown = dragging ?? kept;
  const stepMs = stepOf(strip);
  const anchors = useIncidentChanges(view.incident.id).data?.anchors ?? [];
  return (
    <section className="card" aria-labelledby="timeline-h">
      <header>
        <h2 id="timeline-h">All planes, one time</h2>
        <span className="s mute">
          {formatSpan(shown.from, shown.to, now)}. Drag the frame, arrow keys move its edges by {formatDuration(stepMs)}, Escape
          gives back {formatDuration(strip.to - strip.from)}.
        </span>
        <span className="grow" />
        {chosen === undefined ? null : (
          <button type="button" className="linkish s" onClick={() => setChosen(undefined)}>
            Around the incident
          </button>
        )}
        <Legend />
      </header>
      <ChangeLane targets={anchors} span={strip}>
        <TimeBrush
          strip={strip}
          stepMs={stepMs}
          shown={shown}
          onBrush={(span) => setChosen(span ?? 'whole')}
          onDragging={setDragging}
        >
          {({ width, toX }) => <Overview view={view} strip={strip} width={width} toX={toX} now={now} />}
        </TimeBrush>
        <Lanes view={view} asked={kept} shown={shown} now={now} />
      </ChangeLane>
    </section>
  );
}

function Legend() {
  return (
    <span className="tl-legend s">
      <svg width="12" height="12" aria-hidden="true">
        <path d="M6 1l5 9.5h-10z" fill="var(--ink)" />
      </svg>
      incident
      <svg className="tl-second" width="14" height="14" aria-hidden="true">
        <rect className="run-failed" x="0" width="5" height="14" />
        <rect className="run-passed" x="7" y="9" width="5" height="5" />
      </svg>
      run failed, passed
    </span>
  );
}

interface OverviewProps {
  view: IncidentView;
  strip: TimeSpan;
  width: number;
  toX: (at: number) => number;
  now: number;
}

/** How many signals were open over the whole strip, and the incident over it. */
function Overview({ view, strip, width, toX, now }: OverviewProps) {
  const { incident, signals } = view;
  const { height, base, bars, steps } = OVERVIEW;
  const counts = useMemo(() => countOpen(lanesOf(signals), { strip, steps, now }), [signals, strip, now]);
  const most = Math.max(1, ...counts);
  const step = width / steps;
  // Whole, also at the edge.
  const opened = Math.min(Math.max(toX(new Date(incident.opened_at).getTime()), 5), width - 5);
  const end = toX(incident.resolved_at ? new Date(incident.resolved_at).getTime() : Math.min(now, strip.to));
  return (
    <svg
      width={width}
      height={height}
      role="img"
      aria-label={`Open signals, ${formatSpan(strip.from, strip.to, now)}: up to ${Math.max(...counts)} at once`}
    >
      <path d={`M${opened} 2l4.5 8h-9z`} fill="var(--ink)" />
      <path d={`M${opened + 7} 7H${Math.max(opened + 7, end)}`} stroke="var(--ink)" strokeWidth="1.5" />
      <path d={`M0 ${base - 0.5}H${width}`} stroke="var(--line)" />
      {counts.map((count, index) =>
        count === 0 ? null : (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
            key={index}
            className="run-failed"
            x={index * step}
            y={base - (count / most) * bars}
            width={Math.max(1, step - 1)}
            height={(count / most) * bars}
          />
        ),
      )}
      <AxisLabels span={strip} width={width} y={50} toX={toX} />
    </svg>
  );
}
