import type { IncidentView } from '@svc/contracts/incidents/incident';
import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { MarkLines } from '../../../ui/charts/moment-marks.tsx';
import { useWidth } from '../../../ui/charts/use-size.ts';
import { Time } from '../../../ui/moments/time.tsx';
import { formatMoment, plural } from '../../../ui/words/format.ts';
import { ActsRow } from './acts-row.tsx';
import { ChangesRow } from './changes-row.tsx';
import { deviceLanes, type LaneModel, readLanes, serviceLanes, signalLanes, testLanes } from './lane-models.ts';
import { AxisRow, IncidentRow, LaneRow, type Plot } from './lane-row.tsx';
import { stepOf } from './lane-rows.ts';
import { MAX_TESTS, useDeviceLane, useServiceLanes, useTestLanes } from './use-lanes.ts';

const WIDE = { from: 560, labelPx: 176 } as const;
const NARROW_LABEL_PX = 104;
const LEAST_PLOT_PX = 60;
/** From the diamond of the first row to the times of the last. */
const MARKS = { top: 6, height: 'calc(100% - 24px)' } as const;

interface LanesProps {
  view: IncidentView;
  /** The time that data are asked for, and the one that is drawn: while a frame is dragged they differ. */
  asked: TimeSpan;
  shown: TimeSpan;
  now: number;
}

function useLaneModels(view: IncidentView, asked: TimeSpan): { lanes: LaneModel[]; testsLeft: number } {
  const { tests, left } = useTestLanes(view, asked);
  const devices = useDeviceLane(view, asked);
  const services = useServiceLanes(view, asked);
  const sinceMs = Date.parse(view.incident.started_at);
  const signals = useMemo(() => signalLanes(view), [view]);
  return {
    lanes: [...signals, ...testLanes(tests, sinceMs), ...deviceLanes(devices), ...serviceLanes(services)],
    testsLeft: left,
  };
}

const plotOf = (width: number, shown: TimeSpan): Plot => {
  const labelPx = width >= WIDE.from ? WIDE.labelPx : NARROW_LABEL_PX;
  const plotPx = Math.max(LEAST_PLOT_PX, width - labelPx);
  return { labelPx, width: plotPx, shown, toX: (at) => ((at - shown.from) / (shown.to - shown.from)) * plotPx };
};

/** One row a lane, all over one time, and one moment that is read of all of them. */
export function Lanes({ view, asked, shown, now }: LanesProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const { lanes, testsLeft } = useLaneModels(view, asked);
  const reading = useReading(shown);
  const plot = plotOf(width, shown);
  const words = reading.at === undefined ? [] : readLanes(lanes, { at: reading.at, shownMs: shown.to - shown.from });
  return (
    <div className="tl-lanes" ref={box}>
      <ReadingRow at={reading.at} isPinned={reading.isPinned} words={words} />
      {width > 0 ? (
        <div className="tl-rows">
          <ChangesRow plot={plot} />
          <IncidentRow view={view} plot={plot} now={now} />
          {lanes.map((lane) => (
            <LaneRow key={lane.key} lane={lane} plot={plot} now={now} />
          ))}
          {testsLeft > 0 ? (
            <p className="tl-left s mute">
              The first {MAX_TESTS} tests are drawn; {plural(testsLeft, 'more')} below, under Affected.
            </p>
          ) : null}
          <ActsRow view={view} plot={plot} />
          <AxisRow plot={plot} />
          <MarkLines span={shown} toX={(at) => plot.labelPx + plot.toX(at)} {...MARKS} />
          <Surface reading={reading} plot={plot} now={now} words={words} />
        </div>
      ) : null}
    </div>
  );
}

/** The moment that is read: under the pointer, or kept. Outside of what is shown there is none. */
function useReading(shown: TimeSpan) {
  const [kept, setKept] = useState<{ at: number; isPinned: boolean }>();
  const current = kept && kept.at >= shown.from && kept.at <= shown.to ? kept : undefined;
  return {
    at: current?.at,
    isPinned: current?.isPinned ?? false,
    point: (at: number | undefined): void => {
      if (!current?.isPinned) setKept(at === undefined ? undefined : { at, isPinned: false });
    },
    move: (at: number): void =>
      setKept({ at: Math.min(Math.max(at, shown.from), shown.to), isPinned: current?.isPinned ?? false }),
    toggle: (at: number | undefined): void => setKept(at === undefined ? undefined : { at, isPinned: !current?.isPinned }),
    clear: (): void => setKept(undefined),
  };
}

type Reading = ReturnType<typeof useReading>;

interface SurfaceProps {
  reading: Reading;
  plot: Plot;
  now: number;
  words: readonly string[];
}

/** Takes pointer and keys over all rows, and draws the line through them. */
function Surface({ reading, plot, now, words }: SurfaceProps) {
  const { shown, width, labelPx, toX } = plot;
  const timeAt = (event: PointerEvent): number =>
    shown.from + ((event.clientX - event.currentTarget.getBoundingClientRect().left) / width) * (shown.to - shown.from);
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (by !== undefined)
      reading.move(reading.at === undefined ? (by > 0 ? shown.from : shown.to) : reading.at + by * stepOf(shown));
    else if (event.key === 'Home') reading.move(shown.from);
    else if (event.key === 'End') reading.move(shown.to);
    else if (event.key === 'Enter') reading.toggle(reading.at);
    else if (event.key === 'Escape') reading.clear();
    else return;
    event.preventDefault();
  };
  return (
    <div
      className="tl-surface"
      style={{ left: labelPx, width }}
      role="slider"
      tabIndex={0}
      aria-label="Moment of the reading. Arrow keys move it, Enter keeps it, Escape lets go."
      aria-valuemin={shown.from}
      aria-valuemax={shown.to}
      aria-valuenow={reading.at ?? shown.from}
      aria-valuetext={reading.at === undefined ? 'none' : `${formatMoment(reading.at, now)}: ${words.join('; ')}`}
      onKeyDown={onKey}
      onPointerMove={(event) => {
        if (event.pointerType !== 'touch') reading.point(timeAt(event));
      }}
      onPointerLeave={() => reading.point(undefined)}
      onClick={(event) => {
        const at =
          shown.from + ((event.clientX - event.currentTarget.getBoundingClientRect().left) / width) * (shown.to - shown.from);
        reading.toggle(at);
      }}
    >
      {reading.at === undefined ? null : <i className="tl-cross" style={{ left: toX(reading.at) }} />}
    </div>
  );
}

/** The reading in a row of its own, so that nothing covers the data. */
function ReadingRow({ at, isPinned, words }: { at: number | undefined; isPinned: boolean; words: readonly string[] }) {
  if (at === undefined)
    return <p className="tl-reading s mute">Point at a moment, or move through them by arrow keys, to read all lanes then.</p>;
  return (
    <p className="tl-reading s">
      <b className="num">
        <Time at={at} show="second" />
      </b>
      {words.map((text) => (
        <span key={text}>{text}</span>
      ))}
      <span className="mute tl-pinned">{isPinned ? 'kept, Enter or a click lets go' : 'Enter or a click keeps it'}</span>
    </p>
  );
}
