import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { searchOfChange } from '../../../ui/changes/change-words.ts';
import { useChangesShown } from '../../../ui/changes/changes-shown.ts';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { useWidth } from '../../../ui/charts/use-size.ts';
import { Checkbox, Segments } from '../../../ui/controls/controls.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { useMay } from '../../../ui/permission/use-may.ts';
import { formatDuration, formatSpan } from '../../../ui/words/format.ts';
import type { RumHost } from '../rum-queries.ts';
import { DRAWN, type Drawn } from './host-search.ts';
import { CHARTS, placePlot, readingWords } from './over-time-plot.ts';
import { PlotSvg } from './plot-svg.tsx';

interface OverTimeProps {
  view: RumHost;
  span: TimeSpan;
  drawn: Drawn;
  onDrawn: (drawn: Drawn) => void;
}

/** Figures and views over time, with what was changed and what was open; a moment is read by pointer or arrow keys. */
export function OverTimeCard({ view: whole, span, drawn, onDrawn }: OverTimeProps) {
  const maySee = useMay('change.read');
  const [marked, mark] = useChangesShown();
  const view = marked ? whole : { ...whole, changes: [] };
  const { series } = view;
  const { lines } = CHARTS[drawn];
  const stepMs = series.step_seconds * 1000;
  // A figure is of the minutes of a verdict, and of the whole step where that is longer.
  const of = formatDuration(Math.max(stepMs, view.verdict.window_minutes * 60_000));
  return (
    <section className="card" aria-labelledby="overtime-h">
      <header>
        <h2 id="overtime-h">Over time</h2>
        <span className="s mute">
          {drawn === 'errors' ? 'share of views with an error or a failed request' : 'p75'} of {of} each,{' '}
          {formatSpan(span.from, span.to, Date.now())}
        </span>
        <span className="grow" />
        <span className="rum-keys s">
          {lines.map(({ name }, at) => (
            <span key={name} className="rum-key">
              <svg width="18" height="8" aria-hidden="true">
                <path className={`rum-line-${at + 1}`} d="M0 4H18" />
              </svg>
              {name}
            </span>
          ))}
          <span className="rum-key">
            <i className="rum-swatch rum-viewbar" />
            views in {formatDuration(stepMs)}
          </span>
        </span>
        {maySee ? <Checkbox label="Changes" checked={marked} onChange={mark} /> : null}
        <Segments
          label="Drawn over time"
          options={DRAWN.map((value) => ({ value, label: CHARTS[value].label }))}
          value={drawn}
          onChange={onDrawn}
        />
      </header>
      {series.points.every(({ views }) => views === 0) ? (
        <p className="s soft rum-unjudged">No beacon came in this time. That says nothing about the health of the page.</p>
      ) : (
        <Plot view={view} span={span} drawn={drawn} />
      )}
      <Marks view={view} />
    </section>
  );
}

/** What the chart marks, as links. */
function Marks({ view: { incidents, changes } }: { view: RumHost }) {
  if (incidents.length + changes.length === 0) return null;
  return (
    <ul className="rum-marks s">
      {changes.map(({ id, number, title, at }) => (
        <li key={id}>
          <svg width="10" height="10" aria-hidden="true">
            <path d="M5 0l5 5-5 5-5-5z" fill="var(--ink)" />
          </svg>
          <Time at={at} />{' '}
          <Link to="/changes" search={searchOfChange(number, at)}>
            Change {number}: {title}
          </Link>
        </li>
      ))}
      {incidents.map(({ id, number, title, from }) => (
        <li key={id}>
          <svg width="10" height="10" aria-hidden="true">
            <path d="M5 .5 9.6 9.2H.4z" fill="var(--ink)" />
          </svg>
          <Time at={from} />{' '}
          <Link to="/incidents/$id" params={{ id }}>
            Incident {number}: {title}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Plot({ view, span, drawn }: Omit<OverTimeProps, 'onDrawn'>) {
  const { points, step_seconds } = view.series;
  const [box, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState(-1);
  const [pinned, setPinned] = useState(false);
  const plot = placePlot({ points, drawn, span, width });
  const point = points[at];
  const stepMs = step_seconds * 1000;
  const move = (index: number): void => setAt(Math.min(Math.max(index, 0), points.length - 1));
  const onKey = (event: KeyboardEvent): void => {
    const target = {
      ...{ ArrowLeft: at < 0 ? points.length - 1 : at - 1, ArrowRight: at + 1, Home: 0, End: points.length - 1 },
    }[event.key];
    if (target !== undefined) move(target);
    else if (event.key === 'Enter' && point) setPinned(!pinned);
    else if (event.key === 'Escape') {
      setAt(-1);
      setPinned(false);
    } else return;
    event.preventDefault();
  };
  const nearest = (event: PointerEvent): number => {
    const x = event.clientX - (box.current?.getBoundingClientRect().left ?? 0);
    const gap = (index: number): number => Math.abs(plot.toX(Date.parse(points[index]?.at ?? '') + stepMs) - x);
    return points.reduce((best, _, index) => (gap(index) < gap(best) ? index : best), 0);
  };
  return (
    <>
      <p className="rum-reading s" aria-hidden="true">
        {point ? (
          readingWords(point, drawn)
        ) : (
          <span className="mute">Point at a moment or use the arrow keys; Enter keeps it.</span>
        )}
        {pinned ? <span className="mute"> kept, Escape lets it go</span> : null}
      </p>
      <div
        ref={box}
        className="rum-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${CHARTS[drawn].label} over time. Arrow keys read moments, Enter keeps one.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, points.length - 1)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={point ? readingWords(point, drawn) : 'no moment chosen'}
        onKeyDown={onKey}
        onPointerMove={(event) => {
          if (!pinned) setAt(nearest(event));
        }}
        onPointerLeave={() => {
          if (!pinned) setAt(-1);
        }}
        onClick={() => {
          if (point) setPinned(!pinned);
        }}
      >
        {width > 0 ? (
          <PlotSvg view={view} span={span} plot={plot} width={width} at={point ? Date.parse(point.at) + stepMs : undefined} />
        ) : null}
      </div>
    </>
  );
}
