import type { IncidentDevices } from '@svc/contracts/incidents/incident-devices';
import type { TestSeriesPoint } from '@svc/contracts/tests/calls';
import { PHASES, phaseWord } from '../../../ui/runs/phase-words.ts';

export interface LinePoint {
  at: number;
  /** Null: not measured; the line breaks. */
  value: number | null;
}

/** One line of a lane; `stepMs`: each value holds for so long. */
export interface LaneLine {
  name: string;
  points: readonly LinePoint[];
  stepMs: number | undefined;
}

type Phase = (typeof PHASES)[number];
type Measured = Pick<TestSeriesPoint, 'at' | 'phases' | 'total_ms' | 'failed'>;

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Less than this much longer is no reason to look at a phase alone: as a part of what it took before, and in milliseconds. */
const LEAST_GROWTH = { part: 0.5, ms: 5 };

/** The phase that takes so much longer since the first harm; undefined where none does, or too little was measured. */
export function grownPhase(points: readonly Measured[], sinceMs: number): Phase | undefined {
  let best: { phase: Phase; growth: number } | undefined;
  for (const phase of PHASES) {
    const valuesOf = (isSince: boolean): number[] =>
      points.filter(({ at }) => Date.parse(at) >= sinceMs === isSince).flatMap(({ phases }) => phases[phase] ?? []);
    const [before, since] = [median(valuesOf(false)), median(valuesOf(true))];
    if (before === undefined || since === undefined) continue;
    const growth = since - before;
    if (growth < LEAST_GROWTH.ms || growth < before * LEAST_GROWTH.part) continue;
    if (!best || growth > best.growth) best = { phase, growth };
  }
  return best?.phase;
}

export const phaseTitle = (phase: Phase | undefined): string => (phase ? phaseWord(phase) : 'How long runs take');

/** Milliseconds over time of one test: of a phase, or in all. Where the distance of runs triples, the line breaks. */
export function lineOfTest(name: string, points: readonly Measured[], phase: Phase | undefined): LaneLine {
  const measured = points.map(
    (point): LinePoint => ({
      at: Date.parse(point.at),
      value: (phase ? point.phases[phase] : point.total_ms) ?? null,
    }),
  );
  return { name, points: breakGaps(measured), stepMs: undefined };
}

function breakGaps(points: readonly LinePoint[]): LinePoint[] {
  const distances = points.slice(1).map(({ at }, index) => at - (points[index]?.at ?? at));
  const usual = median(distances) ?? 0;
  return points.flatMap((point, index) => {
    const before = points[index - 1];
    return before && point.at - before.at > 3 * usual ? [{ at: before.at + usual, value: null }, point] : [point];
  });
}

/** Slow devices over time of one place. */
export function lineOfPlace(
  { site, gateway, steps }: IncidentDevices['places'][number],
  answer: Omit<IncidentDevices, 'places'>,
): LaneLine {
  const stepMs = answer.step_seconds * 1000;
  const from = Date.parse(answer.from);
  return {
    name: gateway ? `${site}, ${gateway}` : site,
    points: steps.map(({ slow, measured }, index) => ({ at: from + index * stepMs, value: measured > 0 ? slow : null })),
    stepMs,
  };
}

interface Counted {
  at: string;
  total: number;
  errors: number;
}

/** Percent of a service's requests that failed, over time. */
export const lineOfService = (name: string, steps: readonly Counted[], stepMs: number): LaneLine => ({
  name,
  points: steps.map(({ at, total, errors }) => ({ at: Date.parse(at), value: total > 0 ? (100 * errors) / total : null })),
  stepMs,
});

/** The value that a line has at a moment: the one that holds then, or the nearest run's. */
export function valueAt({ points, stepMs }: LaneLine, at: number, withinMs: number): number | undefined {
  if (stepMs !== undefined) return points.find((point) => point.at <= at && at < point.at + stepMs)?.value ?? undefined;
  let best: LinePoint | undefined;
  for (const point of points)
    if (point.value !== null && Math.abs(point.at - at) < Math.abs((best?.at ?? Number.POSITIVE_INFINITY) - at)) best = point;
  return best && Math.abs(best.at - at) <= withinMs ? (best.value ?? undefined) : undefined;
}

/** An SVG path through the points; values that hold for a step are drawn as steps. */
export function pathOf(
  { points, stepMs }: LaneLine,
  { toX, toY }: { toX: (at: number) => number; toY: (value: number) => number },
): string {
  let path = '';
  let isDrawing = false;
  for (const { at, value } of points) {
    if (value === null) {
      isDrawing = false;
      continue;
    }
    const [x, y] = [toX(at).toFixed(1), toY(value).toFixed(1)];
    if (!isDrawing) path += `M${x} ${y}`;
    else path += stepMs === undefined ? `L${x} ${y}` : `V${y}`;
    if (stepMs !== undefined) path += `H${toX(at + stepMs).toFixed(1)}`;
    isDrawing = true;
  }
  return path;
}
