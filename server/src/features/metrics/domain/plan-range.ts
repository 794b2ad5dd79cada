import { AppError } from '#kernel';

/** Steps that people read well, seconds; the last ones are whole hours. */
const STEPS = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 7 * 86_400] as const;
const WANTED_STEPS = 240;
/** Senders write once a minute by default: shorter steps would show gaps. */
const SHORTEST_DEFAULT = 60;
const MAX_STEPS = 11_000;
const MAX_CELLS = 300_000;

/** The step of a range in milliseconds, chosen where none was asked for; `validation` for more steps than one answer holds. */
export function stepOf({ fromMs, toMs }: { fromMs: number; toMs: number }, seconds: number | undefined): number {
  const windowMs = toMs - fromMs;
  const wanted = windowMs / WANTED_STEPS / 1000;
  const chosen = seconds ?? STEPS.find((step) => step >= SHORTEST_DEFAULT && step >= wanted) ?? (STEPS.at(-1) as number);
  if (windowMs / chosen / 1000 > MAX_STEPS)
    throw new AppError('validation', `A range has at most ${MAX_STEPS} steps. Choose a larger step.`);
  return chosen * 1000;
}

/** `validation` where series times steps are more than one answer holds. */
export function checkCells(series: number, { fromMs, toMs, stepMs }: { fromMs: number; toMs: number; stepMs: number }): void {
  if (series * Math.ceil((toMs - fromMs) / stepMs) > MAX_CELLS)
    throw new AppError('validation', `More than ${MAX_CELLS} points match. Choose a larger step or group the series.`);
}

/** Values of one group, at the beginnings of steps. */
export interface GroupRow {
  g: number;
  ts: number[];
  values: number[];
}

export interface Grouped {
  /** Of the group, in order of its first series. */
  labels: Record<string, string>[];
  /** The group of each series, by its place. */
  groupOf: number[];
}

/** Series that are alike in all labels of `by`; undefined leaves each by itself. Labels that a series does not have are left out. */
export function groupSeries(series: readonly { labels: Record<string, string> }[], by: readonly string[] | undefined): Grouped {
  if (by === undefined) return { labels: series.map(({ labels }) => labels), groupOf: series.map((_, i) => i) };
  const places = new Map<string, number>();
  const grouped: Grouped = { labels: [], groupOf: [] };
  for (const { labels } of series) {
    const own = by.flatMap((name): [string, string][] => (labels[name] ? [[name, labels[name]]] : []));
    const key = JSON.stringify(own);
    const place = places.get(key) ?? grouped.labels.push(Object.fromEntries(own)) - 1;
    places.set(key, place);
    grouped.groupOf.push(place);
  }
  return grouped;
}

const MATCH = /^([^=!~]+?)(=~|!~|!=|=)(.*)$/s;

/** `label=value` and its kin as a URL has them. */
export function parseMatch(text: string): { label: string; op: '=' | '!=' | '=~' | '!~'; values: [string] } {
  const [, label, op, value] = MATCH.exec(text) ?? [];
  if (label === undefined || op === undefined || value === undefined)
    throw new AppError('validation', `Not a condition on a label: ${text.slice(0, 100)}. Write label=value, !=, =~ or !~.`);
  return { label, op: op as '=', values: [value] };
}
