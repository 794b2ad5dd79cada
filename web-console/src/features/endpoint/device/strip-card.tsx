import type { DeviceView, StripHour } from '@svc/contracts/endpoint/view';
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { RANGE_WORDS, type RangeName } from '../../../ui/address/time-range.ts';
import type { HistoryRule } from '../../../ui/address/use-search-change.ts';
import { timeTicks } from '../../../ui/charts/time-ticks.ts';
import { useWidth } from '../../../ui/charts/use-size.ts';
import { Icon } from '../../../ui/controls/icons.tsx';
import { barClass, barShape, verdictIcon } from '../../../ui/devices/verdict.tsx';
import { CAUSE_NAMES, isState, spanWord, toneOf } from '../../../ui/devices/verdict-words.ts';
import { formatClock, formatDuration, formatMoment, formatSpan, joinWords } from '../../../ui/words/format.ts';
import { STEP_MS, type TimeSpan } from './device-search.ts';
import { binSpans, findQuiet, timeByVerdict } from './verdict-bins.ts';

interface StripCardProps {
  verdicts: DeviceView['verdicts'];
  strip: TimeSpan;
  shown: TimeSpan;
  range: RangeName;
  /** `rule`: "typing" while arrow keys move an edge. */
  onBrush: (span: TimeSpan | undefined, rule?: HistoryRule) => void;
}

const BAR_HEIGHT = 28;
const BARS_TOP = 6;

const snap = (at: number): number => Math.round(at / STEP_MS) * STEP_MS;

/** Keeps a span inside the strip and at least one step long. */
export function clampSpan(span: TimeSpan, strip: TimeSpan): TimeSpan {
  const from = Math.min(Math.max(Math.min(span.from, span.to), strip.from), strip.to - STEP_MS);
  const to = Math.max(Math.min(Math.max(span.from, span.to), strip.to), from + STEP_MS);
  return { from, to };
}

type Grip = 'new' | 'from' | 'to' | 'move';
interface Drag {
  grip: Grip;
  startAt: number;
  start: TimeSpan;
  span: TimeSpan;
}

function dragged({ grip, startAt, start }: Drag, at: number, strip: TimeSpan): TimeSpan {
  if (grip === 'new') return clampSpan({ from: snap(startAt), to: snap(at) }, strip);
  const by = snap(at - startAt);
  if (grip === 'from') return clampSpan({ from: Math.min(start.from + by, start.to - STEP_MS), to: start.to }, strip);
  if (grip === 'to') return clampSpan({ from: start.from, to: Math.max(start.to + by, start.from + STEP_MS) }, strip);
  const shift = Math.min(Math.max(by, strip.from - start.from), strip.to - start.to);
  return { from: start.from + shift, to: start.to + shift };
}

const KEY_STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -STEP_MS,
  ArrowDown: -STEP_MS,
  ArrowRight: STEP_MS,
  ArrowUp: STEP_MS,
};

/** Where an arrow key on one edge takes a span; undefined for every other key. */
export function spanByKey({ grip, key }: { grip: Grip; key: string }, shown: TimeSpan, strip: TimeSpan): TimeSpan | undefined {
  const by = KEY_STEPS[key];
  return by === undefined ? undefined : dragged({ grip, startAt: 0, start: shown, span: shown }, by, strip);
}

/** Verdicts over time; dragging on them sets the time of everything below. */
export function StripCard({ verdicts, strip, shown, range, onBrush }: StripCardProps) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [drag, setDrag] = useState<Drag>();
  const current = drag?.span ?? shown;
  const whole = current.from <= strip.from && current.to >= strip.to;
  const toX = (at: number): number => ((at - strip.from) / (strip.to - strip.from)) * width;
  const onKey = (grip: Grip, event: KeyboardEvent): void => {
    const moved = spanByKey({ grip, key: event.key }, shown, strip);
    if (event.key === 'Escape') onBrush(undefined);
    else if (moved) onBrush(moved, whole ? 'step' : 'typing');
    else return;
    event.preventDefault();
  };
  return (
    <section className="card brushc" aria-labelledby="strip-h">
      <header>
        <h2 id="strip-h">Verdicts, {RANGE_WORDS[range].toLowerCase()}</h2>
        <span className="s mute hintline">Drag to set the time for everything below. Arrow keys move by 5 min.</span>
        <span className="grow" />
        <Legend sums={timeByVerdict(verdicts, strip)} />
      </header>
      <div className="brush" ref={box}>
        {width > 0 ? (
          <>
            <StripSvg
              verdicts={verdicts}
              strip={strip}
              width={width}
              dim={whole ? undefined : { left: toX(current.from), right: toX(current.to) }}
            />
            <BrushSurface strip={strip} shown={shown} drag={drag} width={width} onDrag={setDrag} onBrush={onBrush} />
            <BrushFrame
              left={toX(current.from)}
              right={toX(current.to)}
              span={current}
              strip={strip}
              whole={whole}
              onKey={onKey}
            />
          </>
        ) : null}
      </div>
      <p className="s soft stripnote">
        <span>
          Showing <b className="num">{describeSpan(current)}</b>
        </span>
        {whole ? null : (
          <button type="button" className="linkish" onClick={() => onBrush(undefined)}>
            {RANGE_WORDS[range]}
          </button>
        )}
      </p>
    </section>
  );
}

/** "08:00–14:07 today", or both ends in full when they lie on different days. */
function describeSpan({ from, to }: TimeSpan): string {
  const now = Date.now();
  const sameDay = new Date(from).toDateString() === new Date(to).toDateString();
  if (!sameDay) return formatSpan(from, to, now);
  const day = formatMoment(from, now)
    .replace(/\d\d:\d\d.*$/, '')
    .trim();
  return `${formatClock(from)}–${formatClock(to)} ${day === '' ? 'today' : day}`;
}

const LEGEND_ORDER: readonly StripHour[] = [
  'wifi',
  'local',
  'isp',
  'network',
  'unknown',
  'none',
  'paused',
  'declined',
  'not_measured',
];

const STATE_NAMES = { paused: 'Paused', declined: 'Declined', not_measured: 'Not measured' } as const;

function Legend({ sums }: { sums: ReadonlyMap<StripHour, number> }) {
  const shown = LEGEND_ORDER.filter((verdict) => (sums.get(verdict) ?? 0) >= 60_000);
  return (
    <span className="lgd">
      {shown.map((verdict) => (
        <span key={verdict} className={`v v-${toneOf(verdict)}`}>
          {verdict === 'not_measured' ? (
            <svg width="12" height="12" aria-hidden="true">
              <path d="M0 11.5H12" stroke="var(--line-strong)" />
            </svg>
          ) : (
            <Icon name={verdictIcon(verdict)} size={14} />
          )}
          <span>
            {isState(verdict) ? STATE_NAMES[verdict] : CAUSE_NAMES[verdict]} {formatDuration(sums.get(verdict) ?? 0)}
          </span>
        </span>
      ))}
    </span>
  );
}

interface SvgProps {
  verdicts: DeviceView['verdicts'];
  strip: TimeSpan;
  width: number;
  dim: { left: number; right: number } | undefined;
}

function StripSvg({ verdicts, strip, width, dim }: SvgProps) {
  const count = Math.max(24, Math.min(288, Math.floor(width / 4)));
  const bins = binSpans(verdicts, strip, count);
  const step = width / count;
  const label = joinWords(
    [...timeByVerdict(verdicts, strip)].map(([verdict, ms]) => `${formatDuration(ms)} ${spanWord(verdict)}`),
  );
  return (
    <svg width={width} height="54" role="img" aria-label={`Verdicts: ${label}`}>
      <g transform={`translate(0 ${BARS_TOP})`}>
        {bins.map((verdict, index) => {
          const shape = barShape(verdict, BAR_HEIGHT);
          const x = index * step;
          return (
            <rect
              key={x}
              className={barClass(verdict)}
              x={x + shape.inset}
              y={shape.y}
              width={Math.max(1, step - 0.8 - 2 * shape.inset)}
              height={shape.height}
              opacity={shape.opacity}
            />
          );
        })}
        {findQuiet(bins, Math.ceil(100 / step)).map((run) => (
          <text key={run.start} className="gl" x={(run.start + run.length / 2) * step} y="18" textAnchor="middle">
            not measured
          </text>
        ))}
      </g>
      {dim ? (
        <g fill="var(--surface)" opacity=".5">
          <rect x="0" y="0" width={Math.max(0, dim.left)} height="38" />
          <rect x={dim.right} y="0" width={Math.max(0, width - dim.right)} height="38" />
        </g>
      ) : null}
      {timeTicks(strip.from, strip.to, Math.max(3, Math.floor(width / 90))).map((at) => {
        const x = ((at - strip.from) / (strip.to - strip.from)) * width;
        return x < 14 || x > width - 14 ? null : (
          <text key={at} className="ax" x={x} y="50" textAnchor="middle">
            {formatClock(at) === '00:00'
              ? new Date(at).toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric' })
              : formatClock(at)}
          </text>
        );
      })}
    </svg>
  );
}

interface SurfaceProps {
  strip: TimeSpan;
  shown: TimeSpan;
  drag: Drag | undefined;
  width: number;
  onDrag: (drag: Drag | undefined) => void;
  onBrush: (span: TimeSpan | undefined) => void;
}

/** Takes the pointer over the bars: near an edge it pulls the edge, inside the brush it moves it, elsewhere it draws a new one. */
function BrushSurface({ strip, shown, drag, width, onDrag, onBrush }: SurfaceProps) {
  const surface = useRef<HTMLDivElement>(null);
  const timeAt = (event: PointerEvent): number => {
    const left = surface.current?.getBoundingClientRect().left ?? 0;
    return strip.from + ((event.clientX - left) / width) * (strip.to - strip.from);
  };
  const gripAt = (at: number): Grip => {
    const near = (8 / width) * (strip.to - strip.from);
    const whole = shown.from <= strip.from && shown.to >= strip.to;
    if (Math.abs(at - shown.from) < near) return 'from';
    if (Math.abs(at - shown.to) < near) return 'to';
    return !whole && at > shown.from && at < shown.to ? 'move' : 'new';
  };
  return (
    <div
      ref={surface}
      className="brushsurface"
      onPointerDown={(event) => {
        const at = timeAt(event);
        event.currentTarget.setPointerCapture(event.pointerId);
        onDrag({ grip: gripAt(at), startAt: at, start: shown, span: shown });
      }}
      onPointerMove={(event) => {
        if (drag) onDrag({ ...drag, span: dragged(drag, timeAt(event), strip) });
      }}
      onPointerUp={(event) => {
        if (!drag) return;
        const moved = Math.abs(timeAt(event) - drag.startAt) > (3 / width) * (strip.to - strip.from);
        if (moved) onBrush(drag.span);
        onDrag(undefined);
      }}
      onPointerCancel={() => onDrag(undefined)}
    />
  );
}

interface FrameProps {
  left: number;
  right: number;
  span: TimeSpan;
  strip: TimeSpan;
  whole: boolean;
  onKey: (grip: Grip, event: KeyboardEvent) => void;
}

function BrushFrame({ left, right, span, strip, whole, onKey }: FrameProps) {
  const handle = (grip: 'from' | 'to', at: number, x: number) => (
    <div
      className="handle"
      role="slider"
      tabIndex={0}
      aria-label={grip === 'from' ? 'Shown from' : 'Shown to'}
      aria-valuemin={strip.from}
      aria-valuemax={strip.to}
      aria-valuenow={at}
      aria-valuetext={formatMoment(at, Date.now())}
      style={{ left: x - 4 }}
      onKeyDown={(event) => onKey(grip, event)}
    />
  );
  return (
    <>
      {whole ? null : <div className="frame" style={{ left, width: Math.max(2, right - left) }} />}
      {handle('from', span.from, left)}
      {handle('to', span.to, right)}
    </>
  );
}
