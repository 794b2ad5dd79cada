import '../../../ui/runs/runs.css';
import type { TestStrip } from '@svc/contracts/tests/calls';
import type { RunnerOfTest } from '@svc/contracts/tests/views';
import { useState } from 'react';
import { RANGE_WORDS, type RangeName } from '../../../ui/address/time-range.ts';
import type { HistoryRule } from '../../../ui/address/use-search-change.ts';
import { isWhole } from '../../../ui/charts/brush-search.ts';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { TimeBrush } from '../../../ui/charts/time-brush.tsx';
import { timeTicks } from '../../../ui/charts/time-ticks.ts';
import { Segments } from '../../../ui/controls/controls.tsx';
import { countWords, type RunCounts, stripPaths, sumBars } from '../../../ui/runs/strip-bars.ts';
import { formatClock, formatCount, formatDuration, formatSpan, withUnit } from '../../../ui/words/format.ts';

const BAR_HEIGHT = 28;
const BARS_TOP = 6;
/** Runs outside of every runner: all of them together. */
export const ALL = 'all';
const MOST_SEGMENTS = 5;

/** Of an hour they are shorter than a minute. */
const stepWords = (ms: number): string => (ms < 60_000 ? withUnit(Math.round(ms / 1000), 's') : formatDuration(ms));

interface StripCardProps {
  bars: TestStrip['bars'];
  strip: TimeSpan;
  stepMs: number;
  shown: TimeSpan;
  range: RangeName;
  runners: readonly RunnerOfTest[];
  /** A runner's id, or `all`. */
  runner: string;
  onRunner: (runner: string) => void;
  onBrush: (span: TimeSpan | undefined, rule?: HistoryRule) => void;
}

/** Runs over time from one runner; dragging on them sets the time of what stands below. */
export function StripCard({ bars, strip, stepMs, shown, range, runners, runner, onRunner, onBrush }: StripCardProps) {
  const name = runners.find(({ id }) => id === runner)?.name;
  const counts = sumBars(bars);
  const [dragging, setDragged] = useState<TimeSpan>();
  const current = dragging ?? shown;
  const now = Date.now();
  return (
    <section className="card teststrip" aria-labelledby="strip-h">
      <header>
        <h2 id="strip-h">
          Runs{name && runners.length > 1 ? ` from ${name}` : ''}, {RANGE_WORDS[range].toLowerCase()}
        </h2>
        <span className="s mute hintline">Steps of {stepWords(stepMs)}; drag to set the time for what is below.</span>
        <span className="grow" />
        <Legend counts={counts} />
        <RunnerChoice runners={runners} runner={runner} onRunner={onRunner} />
      </header>
      <TimeBrush strip={strip} stepMs={stepMs} shown={shown} onBrush={onBrush} onDragging={setDragged}>
        {({ width, current: at, toX }) => (
          <StripSvg
            bars={bars}
            strip={strip}
            width={width}
            dim={isWhole(at, strip) ? undefined : { left: toX(at.from), right: toX(at.to) }}
          />
        )}
      </TimeBrush>
      {isWhole(current, strip) ? null : (
        <p className="s soft stripshown">
          Showing <b className="num">{formatSpan(current.from, current.to, now)}</b>{' '}
          <button type="button" className="linkish" onClick={() => onBrush(undefined)}>
            {RANGE_WORDS[range]}
          </button>
        </p>
      )}
    </section>
  );
}

interface ChoiceProps {
  runners: readonly RunnerOfTest[];
  runner: string;
  onRunner: (runner: string) => void;
}

function RunnerChoice({ runners, runner, onRunner }: ChoiceProps) {
  if (runners.length < 2) return null;
  const options = [...runners.map(({ id, name }) => ({ value: id, label: name })), { value: ALL, label: 'All' }];
  if (options.length <= MOST_SEGMENTS) return <Segments label="Runner" options={options} value={runner} onChange={onRunner} />;
  return (
    <select
      className="select runnerselect"
      aria-label="Runner"
      value={runner}
      onChange={(event) => onRunner(event.currentTarget.value)}
    >
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

function Legend({ counts }: { counts: RunCounts }) {
  const keys = [
    { kind: 'failed', count: counts.failed, height: 14, word: 'failed' },
    { kind: 'passed', count: counts.passed, height: 5, word: 'passed' },
    { kind: 'not_run', count: counts.not_run, height: 1, word: 'not run' },
  ] as const;
  return (
    <span className="phasekeys">
      {keys.map(({ kind, count, height, word }) => (
        <span key={kind} className="phasekey">
          <svg width="8" height="14" aria-hidden="true">
            <rect className={`run-${kind}`} y={14 - height} width="8" height={height} />
          </svg>
          {formatCount(count)} {word}
        </span>
      ))}
    </span>
  );
}

interface SvgProps {
  bars: TestStrip['bars'];
  strip: TimeSpan;
  width: number;
  dim: { left: number; right: number } | undefined;
}

function StripSvg({ bars, strip, width, dim }: SvgProps) {
  const step = width / Math.max(1, bars.length);
  const isMidnight = (at: number): boolean => formatClock(at) === '00:00';
  return (
    <svg width={width} height="54" role="img" aria-label={`Runs: ${countWords(sumBars(bars))}`}>
      <g transform={`translate(0 ${BARS_TOP})`}>
        {stripPaths(bars, { step, full: BAR_HEIGHT }).map(([kind, path]) => (
          <path key={kind} className={`run-${kind}`} d={path} />
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
          <text key={at} className="testaxis" x={x} y="50" textAnchor="middle">
            {isMidnight(at) ? new Date(at).toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric' }) : formatClock(at)}
          </text>
        );
      })}
    </svg>
  );
}
