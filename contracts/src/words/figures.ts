/** Narrow no-break space between a number and its unit, and a true minus (design rules for figures). */
const THIN = '\u202f';
/** Between a figure and a unit of time. */
const NBSP = '\u00a0';
const MINUS = '\u2212';

/** A figure with so many decimals and a true minus, in English. */
export const formatSigned = (value: number, digits = 0): string => value.toFixed(digits).replace('-', MINUS);

/** A figure with its unit behind a thin space; a percent sign has none. */
export const withUnit = (value: number, unit: string, digits = 0): string =>
  `${formatSigned(value, digits)}${unit === '%' ? '' : THIN}${unit}`;

/** Milliseconds as a person reads them: 310 ms, 6.4 s, 75 s. */
export function formatMs(ms: number): string {
  if (ms < 999.5) return `${formatMsFigure(ms)}${THIN}ms`;
  const seconds = ms / 1000;
  return `${formatSigned(seconds, seconds < 9.95 ? (seconds < 2 ? 2 : 1) : 0)}${NBSP}s`;
}

/** Milliseconds in a column whose head names the unit: whole from ten on, one digit below. */
export const formatMsFigure = (ms: number): string =>
  ms > 0 && ms < 9.95 ? formatSigned(ms, 1).replace(/\.0$/, '') : formatSigned(ms, 0);

/** A ratio of 0 to 1 as a percent figure without its sign: 0, 0.4, 4.8, 12. */
export function formatPercentFigure(ratio: number): string {
  const percent = ratio * 100;
  if (percent === 0) return '0';
  return formatSigned(percent, percent < 9.95 ? 1 : 0);
}

/** English sets no space before it. */
export const formatPercent = (ratio: number): string => `${formatPercentFigure(ratio)}%`;

/** "a", "a and b", "a, b and c". */
export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
