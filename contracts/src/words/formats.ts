import { type Language, LOCALES, type PSEUDO } from './languages.ts';

/** Between a number and its unit: narrow, and never the end of a line. */
const THIN = '\u202f';
const MINUS = '\u2212';
const OCTETS: Readonly<Partial<Record<string, readonly string[]>>> = { fr: ['o', 'ko', 'Mo', 'Go'] };
const BYTES = ['B', 'kB', 'MB', 'GB'];

export interface Formats {
  /** A plain number in the language's own grouping, with a true minus. */
  number(value: number, digits?: number): string;
  withUnit(value: number, unit: string, digits?: number): string;
  /** 4.2 ms, 38 ms, 4.8 s. */
  ms(value: number): string;
  /** A ratio of 0 to 1: 0 %, 2.1 %, 24 %. */
  percent(ratio: number): string;
  bytes(value: number): string;
  /** 12 s, 45 min, 1 h 25 min. Rounds up: nothing that is left reads as zero. */
  duration(ms: number): string;
  clock(atMs: number): string;
  clockSeconds(atMs: number): string;
  /** 3 Nov, with the year where it is not the present one. */
  date(atMs: number, nowMs: number): string;
  list(words: readonly string[]): string;
}

const digitsFor = (value: number): number => (value > 0 && value < 9.95 ? 1 : 0);

function durationWords(ms: number, number: (value: number) => string): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 100) return `${number(seconds)}${THIN}s`;
  const minutes = Math.ceil(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const rest = `${number(minutes % 60)}${THIN}min`;
  if (hours === 0) return rest;
  return minutes % 60 === 0 ? `${number(hours)}${THIN}h` : `${number(hours)}${THIN}h ${rest}`;
}

function bytesWords(value: number, units: readonly string[], number: Formats['number']): string {
  let rest = value;
  let at = 0;
  while (rest >= 999.5 && at < units.length - 1) {
    rest /= 1000;
    at += 1;
  }
  return `${number(rest, at === 0 ? 0 : digitsFor(rest))}${THIN}${units[at]}`;
}

/** Numbers, units and times as one language writes them, in the zone of this device. */
export function createFormats(language: Language | typeof PSEUDO): Formats {
  const locale = LOCALES[language];
  const plain = [0, 1].map((digits) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits, signDisplay: 'negative' }));
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const clock = new Intl.DateTimeFormat(locale, time);
  const clockSeconds = new Intl.DateTimeFormat(locale, { ...time, second: '2-digit' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const dayYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });
  const list = new Intl.ListFormat(locale);
  const number = (value: number, digits = 0): string =>
    (plain[digits] ?? new Intl.NumberFormat(locale, { maximumFractionDigits: digits })).format(value).replace('-', MINUS);
  const withUnit = (value: number, unit: string, digits = 0): string => `${number(value, digits)}${THIN}${unit}`;
  return {
    number,
    withUnit,
    ms: (value) => {
      const inSeconds = value >= 999.5;
      const shown = inSeconds ? value / 1000 : value;
      return withUnit(shown, inSeconds ? 's' : 'ms', digitsFor(shown));
    },
    percent: (ratio) => withUnit(ratio * 100, '%', digitsFor(ratio * 100)),
    bytes: (value) => bytesWords(value, OCTETS[language] ?? BYTES, number),
    duration: (ms) => durationWords(ms, number),
    clock: (atMs) => clock.format(atMs),
    clockSeconds: (atMs) => clockSeconds.format(atMs),
    date: (atMs, nowMs) => (new Date(atMs).getFullYear() === new Date(nowMs).getFullYear() ? day : dayYear).format(atMs),
    list: (words) => list.format(words),
  };
}
