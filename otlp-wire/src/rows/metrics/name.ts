/** What of a metric shapes its name in a TSDB. */
export interface MetricShape {
  name: string;
  unit: string;
  /** A sum that only counts up. */
  monotonic: boolean;
  gauge: boolean;
}

/** UCUM units as OpenTelemetry's Prometheus compatibility spells them; any other stays as it is. */
const UNITS: Readonly<Record<string, string>> = {
  d: 'days',
  h: 'hours',
  min: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
  By: 'bytes',
  KiBy: 'kibibytes',
  MiBy: 'mebibytes',
  GiBy: 'gibibytes',
  TiBy: 'tibibytes',
  KBy: 'kilobytes',
  MBy: 'megabytes',
  GBy: 'gigabytes',
  TBy: 'terabytes',
  m: 'meters',
  V: 'volts',
  A: 'amperes',
  J: 'joules',
  W: 'watts',
  g: 'grams',
  Cel: 'celsius',
  Hz: 'hertz',
  '1': '',
  '%': 'percent',
};

const PER_UNITS: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  min: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mo: 'month',
  y: 'year',
};

const tokensOf = (text: string): string[] => text.split(/[^\p{L}\p{N}:]+/u).filter(Boolean);

/** A unit in braces is an annotation, no unit. */
const spell = (unit: string | undefined, words: Readonly<Record<string, string>>): string[] => {
  const text = (unit ?? '').trim();
  if (text === '' || /[{}]/.test(text)) return [];
  return tokensOf(Object.hasOwn(words, text) ? (words[text] as string) : text);
};

/** True when the tokens lie in the name one after the other. */
const holds = (name: readonly string[], tokens: readonly string[]): boolean =>
  name.some((_, i) => tokens.every((token, k) => name[i + k] === token));

/**
 * The name by OpenTelemetry's "Prometheus and OpenMetrics Compatibility": words joined by `_`, then the unit, `_per_` and what it is per,
 * `_total` for what only counts up and `_ratio` for a gauge of unit 1; nothing that the name says already.
 */
export function tsdbName({ name, unit, monotonic, gauge }: MetricShape): string {
  let tokens = tokensOf(name);
  const slash = unit.indexOf('/');
  const main = spell(slash < 0 ? unit : unit.slice(0, slash), UNITS);
  const per = slash < 0 ? [] : spell(unit.slice(slash + 1), PER_UNITS);
  if (main.length > 0 && !holds(tokens, main)) tokens.push(...main);
  if (per.length > 0 && !holds(tokens, ['per', ...per])) tokens.push('per', ...per);
  if (monotonic) tokens = [...tokens.filter((token) => token !== 'total'), 'total'];
  if (gauge && unit === '1') tokens = [...tokens.filter((token) => token !== 'ratio'), 'ratio'];
  const joined = tokens.join('_');
  return /^\d/.test(joined) ? `_${joined}` : joined;
}
