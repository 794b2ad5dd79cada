import type { IncidentView } from '@svc/contracts/incidents/incident';
import type { Plane } from '@svc/contracts/incidents/kinds';
import type { StripBar } from '@svc/contracts/tests/views';
import { kindOf } from '../../../ui/runs/strip-bars.ts';
import { formatMs, formatPercent, joinWords, plural } from '../../../ui/words/format.ts';
import { PLANE_NAMES } from '../incident-words.ts';
import { grownPhase, type LaneLine, lineOfPlace, lineOfService, lineOfTest, phaseTitle, valueAt } from './lane-lines.ts';
import { failingAt, type LaneBar, lanesOf, packBars } from './lane-rows.ts';
import type { useDeviceLane, useServiceLanes, useTestLanes } from './use-lanes.ts';

interface Named {
  key: string;
  label: string;
  /** What its figures are. */
  note?: string;
}

export interface RunsLane extends Named {
  kind: 'runs';
  testId: string;
  bars: readonly StripBar[];
  stepMs: number;
}

export interface LinesLane extends Named {
  kind: 'lines';
  lines: readonly LaneLine[];
  /** A value on the axis and in words. */
  unit: { by: number; format: (value: number) => string };
}

export interface SignalsLane extends Named {
  kind: 'signals';
  plane: Plane;
  bars: readonly LaneBar[];
  rows: readonly (readonly LaneBar[])[];
}

/** Nothing to draw, and why. */
export interface SilentLane extends Named {
  kind: 'silent';
  why: string;
}

export type LaneModel = RunsLane | LinesLane | SignalsLane | SilentLane;

/** Rows of signals of one plane; those of a flapping one share a row. */
const MAX_ROWS = 4;

export const signalLanes = ({ signals }: Pick<IncidentView, 'signals'>): SignalsLane[] =>
  lanesOf(signals).map(({ plane, bars }) => {
    const { rows, left } = packBars(bars, MAX_ROWS);
    const note = left > 0 ? `and ${left} more` : plural(bars.length, 'signal');
    return { kind: 'signals', key: `signals ${plane}`, plane, label: PLANE_NAMES[plane], note, bars, rows };
  });

type TestLane = ReturnType<typeof useTestLanes>['tests'][number];

function runsLane({ test, strip }: Pick<TestLane, 'test' | 'strip'>): LaneModel {
  const named = { key: `runs ${test.id}`, label: test.name };
  if (strip?.data)
    return { kind: 'runs', ...named, testId: test.id, bars: strip.data.bars, stepMs: strip.data.step_seconds * 1000 };
  if (!strip?.isError) return { kind: 'silent', ...named, why: 'reading its runs' };
  const isGone = (strip.error as { code?: string }).code === 'not_found';
  return { kind: 'silent', ...named, why: isGone ? 'this test was deleted' : 'its runs could not be read' };
}

/** How long runs took: the phase that grew in the test that is hurt first, and the same phase of the others. */
function timesLane(tests: readonly TestLane[], sinceMs: number): LinesLane | undefined {
  const measured = tests.flatMap(({ test, series }) =>
    series && series.points.length > 0 ? [{ test, points: series.points }] : [],
  );
  if (measured.length === 0) return undefined;
  const phase = measured.map(({ points }) => grownPhase(points, sinceMs)).find((one) => one !== undefined);
  const lines = measured.map(({ test, points }) => lineOfTest(test.name, points, phase));
  const most = Math.max(0, ...lines.flatMap(({ points }) => points.map(({ value }) => value ?? 0)));
  if (most === 0) return undefined;
  const isLong = most >= 2000;
  return {
    ...{ kind: 'lines', key: 'times', label: phaseTitle(phase), lines },
    note: `${isLong ? 'seconds' : 'ms'}, by the tests`,
    unit: { by: isLong ? 1000 : 1, format: formatMs },
  };
}

export const testLanes = (tests: readonly TestLane[], sinceMs: number): LaneModel[] => {
  const times = timesLane(tests, sinceMs);
  return [...tests.map(runsLane), ...(times ? [times] : [])];
};

const CAUSES: Readonly<Record<string, string>> = {
  wifi: 'Wi-Fi',
  local: 'the local network',
  isp: 'the ISP',
  network: 'the network beyond the ISP',
};

export function deviceLanes({ data }: Pick<ReturnType<typeof useDeviceLane>, 'data'>): LinesLane[] {
  if (!data) return [];
  return data.places
    .filter(({ devices }) => devices > 0)
    .map((place) => ({
      ...{ kind: 'lines', key: `devices ${place.site} ${place.gateway} ${place.cause}`, label: 'Slow devices' },
      note: `${CAUSES[place.cause] ?? place.cause}, of ${place.devices} in ${place.site}`,
      lines: [{ ...lineOfPlace(place, data), name: '' }],
      unit: { by: 1, format: (value) => `${value} slow in ${place.site}` },
    }));
}

export function serviceLanes(services: ReturnType<typeof useServiceLanes>): LinesLane[] {
  const lines = services.flatMap(({ name, latency }) =>
    latency && latency.steps.length > 0 ? [lineOfService(name, latency.steps, latency.step_ms)] : [],
  );
  if (lines.length === 0) return [];
  const format = (value: number): string => formatPercent(value / 100);
  return [
    { kind: 'lines', key: 'services', label: 'Failed requests', note: 'percent of a service', lines, unit: { by: 1, format } },
  ];
}

const barAt = ({ bars, stepMs }: RunsLane, at: number): StripBar | undefined =>
  bars.find((bar) => Date.parse(bar.at) <= at && at < Date.parse(bar.at) + stepMs);

/** Runs are told to lie at a moment when they began within this part of what is shown. */
const NEAR = 0.03;

function readLines({ lines, label, unit }: LinesLane, at: number, shownMs: number): string[] {
  const told = lines.flatMap((line) => {
    const value = valueAt(line, at, NEAR * shownMs);
    return value === undefined ? [] : [`${line.name ? `${line.name} ` : ''}${unit.format(value)}`];
  });
  return told.length === 0 ? [] : [`${label}: ${told.join(', ')}`];
}

/** What all lanes say at a moment; a lane that says nothing then is left out. */
export function readLanes(lanes: readonly LaneModel[], { at, shownMs }: { at: number; shownMs: number }): string[] {
  const runs = lanes.filter((lane) => lane.kind === 'runs');
  const of = (kind: ReturnType<typeof kindOf>): string[] =>
    runs.filter((lane) => kindOf(barAt(lane, at) ?? NO_BAR) === kind).map(({ label }) => label);
  const [failed, passed] = [of('failed'), of('passed')];
  const signals = lanes.filter((lane) => lane.kind === 'signals');
  const open = failingAt(signals, at).reduce((sum, { titles }) => sum + titles.length, 0);
  return [
    signals.length > 0 ? (open === 0 ? 'nothing was open' : `${plural(open, 'signal')} open`) : '',
    failed.length > 0 ? `failed: ${joinWords(failed)}` : '',
    passed.length > 0 ? `passed: ${joinWords(passed)}` : '',
    ...lanes.flatMap((lane) => (lane.kind === 'lines' ? readLines(lane, at, shownMs) : [])),
  ].filter((words) => words !== '');
}

const NO_BAR: StripBar = { at: '', passed: 0, failed: 0, not_run: 0, paused: false };
