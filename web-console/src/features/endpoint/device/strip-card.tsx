import type { DeviceView, StripHour } from '@svc/contracts/endpoint/view';
import { useState } from 'react';
import { RANGE_WORDS, type RangeName } from '../../../ui/address/time-range.ts';
import type { HistoryRule } from '../../../ui/address/use-search-change.ts';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { TimeBrush } from '../../../ui/charts/time-brush.tsx';
import { timeTicks } from '../../../ui/charts/time-ticks.ts';
import { Icon } from '../../../ui/controls/icons.tsx';
import { barClass, barShape, verdictIcon } from '../../../ui/devices/verdict.tsx';
import { CAUSE_NAMES, isState, spanWord, toneOf } from '../../../ui/devices/verdict-words.ts';
import { formatClock, formatDuration, formatMoment, formatSpan, joinWords } from '../../../ui/words/format.ts';
import { STEP_MS } from './device-search.ts';
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

/** Verdicts over time; dragging on them sets the time of everything below. */
export function StripCard({ verdicts, strip, shown, range, onBrush }: StripCardProps) {
  const [dragging, setDragging] = useState<TimeSpan>();
  const current = dragging ?? shown;
  const whole = current.from <= strip.from && current.to >= strip.to;
  return (
    <section className="card brushc" aria-labelledby="strip-h">
      <header>
        <h2 id="strip-h">Verdicts, {RANGE_WORDS[range].toLowerCase()}</h2>
        <span className="s mute hintline">Drag to set the time for everything below. Arrow keys move by 5 min.</span>
        <span className="grow" />
        <Legend sums={timeByVerdict(verdicts, strip)} />
      </header>
      <TimeBrush strip={strip} stepMs={STEP_MS} shown={shown} onBrush={onBrush} onDragging={setDragging}>
        {({ width, toX }) => <StripSvg verdicts={verdicts} strip={strip} width={width} dim={dimOf(current, strip, toX)} />}
      </TimeBrush>
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

const dimOf = (current: TimeSpan, strip: TimeSpan, toX: (at: number) => number) =>
  current.from <= strip.from && current.to >= strip.to ? undefined : { left: toX(current.from), right: toX(current.to) };

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
