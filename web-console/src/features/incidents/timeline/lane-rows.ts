import type { IncidentView } from '@svc/contracts/incidents/incident';
import { PLANES, type Plane } from '@svc/contracts/incidents/kinds';
import type { Signal } from '@svc/contracts/incidents/signal';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';

/** One signal's time as a bar; `to` is absent while it has not recovered. */
export interface LaneBar {
  id: string;
  title: string;
  from: number;
  to: number | undefined;
}

export interface Lane {
  plane: Plane;
  bars: readonly LaneBar[];
}

const at = (text: string): number => new Date(text).getTime();

const barOf = ({ id, title, occurred_at, recovered_at }: Signal): LaneBar => ({
  ...{ id, title, from: at(occurred_at), to: recovered_at === null ? undefined : at(recovered_at) },
});

/** Planes that said something, in their own order; the bars by when they began. */
export const lanesOf = (signals: readonly Signal[]): Lane[] =>
  PLANES.map((plane) => ({
    plane,
    bars: signals
      .filter((signal) => signal.plane === plane)
      .map(barOf)
      .toSorted((a, b) => a.from - b.from),
  })).filter(({ bars }) => bars.length > 0);

/** Bars that do not overlap share a row, so that what fails now and then has one; those that find none of `most` are counted. */
export function packBars(bars: readonly LaneBar[], most: number): { rows: LaneBar[][]; left: number } {
  const rows: LaneBar[][] = [];
  let left = 0;
  for (const bar of bars) {
    const free = rows.find((row) => (row.at(-1)?.to ?? Number.POSITIVE_INFINITY) <= bar.from);
    if (free) free.push(bar);
    else if (rows.length < most) rows.push([bar]);
    else left += 1;
  }
  return { rows, left };
}

const MINUTE = 60_000;
/** What is shown at least before the first harm, and in all; as parts of how long it has lasted. */
const BEFORE = { shortest: 15 * MINUTE, part: 0.25 };
const WHOLE = { shortest: 180 * MINUTE, part: 2 };

const floor = (time: number): number => Math.floor(time / MINUTE) * MINUTE;
const ceil = (time: number): number => Math.ceil(time / MINUTE) * MINUTE;

/** First harm, and its end: the resolution, or now while it is open. */
function lifeOf({ incident, signals }: Pick<IncidentView, 'incident' | 'signals'>, now: number): TimeSpan {
  const first = Math.min(at(incident.started_at), ...signals.map(({ occurred_at }) => at(occurred_at)));
  return { from: first, to: Math.max(incident.resolved_at ? at(incident.resolved_at) : now, first + MINUTE) };
}

/** From a while before the first harm to a while after its end, never beyond now; whole minutes, so that it moves once a minute. */
export function focusOf(view: Pick<IncidentView, 'incident' | 'signals'>, now: number): TimeSpan {
  const { from, to } = lifeOf(view, now);
  const before = Math.max(BEFORE.shortest, BEFORE.part * (to - from));
  return { from: floor(from - before), to: ceil(Math.min(now, to + before)) };
}

/** What the focus lies in: three hours at least, so that what was usual is seen too. */
export function stripOf(view: Pick<IncidentView, 'incident' | 'signals'>, now: number): TimeSpan {
  const focus = focusOf(view, now);
  const length = Math.max(WHOLE.shortest, WHOLE.part * (focus.to - focus.from));
  const to = ceil(Math.min(now, focus.to + length / 4));
  return { from: floor(Math.min(focus.from, to - length)), to };
}

/** Steps of a brush: about sixty of them, round minutes. */
export const stepOf = ({ from, to }: TimeSpan): number => Math.max(1, Math.round((to - from) / 60 / MINUTE)) * MINUTE;

const isFailingAt = ({ from, to }: LaneBar, moment: number): boolean => from <= moment && (to === undefined || to > moment);

/** What had not recovered at a moment, by plane. */
export const failingAt = (lanes: readonly Lane[], moment: number): { plane: Plane; titles: string[] }[] =>
  lanes.map(({ plane, bars }) => ({
    plane,
    titles: bars.filter((bar) => isFailingAt(bar, moment)).map(({ title }) => title),
  }));

/** How many signals had not recovered within each of so many steps of a strip, up to now. */
export function countOpen(
  lanes: readonly Lane[],
  { strip, steps, now }: { strip: TimeSpan; steps: number; now: number },
): number[] {
  const length = (strip.to - strip.from) / steps;
  const bars = lanes.flatMap(({ bars: some }) => some);
  return Array.from({ length: steps }, (_, index) => {
    const from = strip.from + index * length;
    if (from > now) return 0;
    return bars.filter((bar) => bar.from < from + length && (bar.to === undefined || bar.to > from)).length;
  });
}
