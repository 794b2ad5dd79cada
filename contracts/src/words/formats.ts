import { type Language, LOCALES, type PSEUDO } from './languages.ts';

/** Between a number and the symbol of its unit: narrow, and never the end of a line. */
const THIN = '\u202f';
const MINUS = '\u2212';

export interface Formats {
  /** A plain number in the language's own grouping, with a true minus. */
  number(value: number, digits?: number): string;
  /** A number with the symbol of its unit, as -79 dBm; a percent sign stands as the language sets it. */
  withUnit(value: number, unit: string, digits?: number): string;
  /** 4.2 ms, 38 ms, 4.8 s. */
  ms(value: number): string;
  /** A ratio of 0 to 1: 2.1% in English, 2,1 % in German. */
  percent(ratio: number): string;
  bytes(value: number): string;
  /** 12 s, 45 min, 1 h 25 min. Rounds up: nothing that is left reads as zero. */
  duration(ms: number): string;
  /** The time of day, of 12 or 24 hours as the system has it. */
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

const OCTETS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** B, kB, MB, GB, and in French o, ko, Mo, Go: the narrow form, since the short one of a single byte is a word. */
function octetSymbols(locale: string): readonly string[] {
  return OCTETS.map((unit) => {
    const parts = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'narrow' }).formatToParts(1);
    return parts.find(({ type }) => type === 'unit')?.value ?? unit;
  });
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

/** A language alone says nothing of a region's clock. */
const isKnown = (tag: string): boolean => {
  try {
    return tag.includes('-') && Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
};

/**
 * The locale of a language on this system: that of the first of its tags that is of the language, such as `en-US` where dates and clocks
 * are American; else the language's own. `hourCycle` is that of the system's first tag, whatever language was chosen.
 */
function localeOf(language: Language | typeof PSEUDO, system: readonly string[]): { locale: string; hourCycle: 'h12' | 'h23' } {
  const tags = system.map((tag) => tag.replaceAll('_', '-')).filter(isKnown);
  const base = LOCALES[language].slice(0, 2);
  const locale = tags.find((tag) => tag.toLowerCase().split('-')[0] === base) ?? LOCALES[language];
  const { hourCycle } = new Intl.DateTimeFormat(tags[0] ?? locale, { hour: 'numeric' }).resolvedOptions();
  return { locale, hourCycle: hourCycle === 'h11' || hourCycle === 'h12' ? 'h12' : 'h23' };
}

function createClocks(
  language: Language | typeof PSEUDO,
  system: readonly string[],
): Pick<Formats, 'clock' | 'clockSeconds' | 'date'> {
  const { locale, hourCycle } = localeOf(language, system);
  const time = { hour: hourCycle === 'h12' ? 'numeric' : '2-digit', minute: '2-digit', hourCycle } as const;
  const clock = new Intl.DateTimeFormat(locale, time);
  const clockSeconds = new Intl.DateTimeFormat(locale, { ...time, second: '2-digit' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const dayYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });
  return {
    clock: (atMs) => clock.format(atMs),
    clockSeconds: (atMs) => clockSeconds.format(atMs),
    date: (atMs, nowMs) => (new Date(atMs).getFullYear() === new Date(nowMs).getFullYear() ? day : dayYear).format(atMs),
  };
}

/** French sets its percent sign apart by a narrow space; what runs this may know the wide one only. */
const signed = (language: string, text: string): string => (language === 'fr' ? text.replace(/\s%/, `${THIN}%`) : text);

/** Numbers, units and times as one language writes them, in the zone of this device. `system`: the tags of its own settings, best first. */
export function createFormats(language: Language | typeof PSEUDO, system: readonly string[] = []): Formats {
  const { locale } = localeOf(language, system);
  const plainOf = (digits: number) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits, signDisplay: 'negative' });
  const percentOf = (digits: number) =>
    new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: digits, signDisplay: 'negative' });
  const [plain, percents] = [[0, 1].map(plainOf), [0, 1].map(percentOf)];
  const list = new Intl.ListFormat(locale);
  const octets = octetSymbols(locale);
  const number = (value: number, digits = 0): string => (plain[digits] ?? plainOf(digits)).format(value).replace('-', MINUS);
  const percent = (ratio: number, digits: number): string =>
    signed(language, (percents[digits] ?? percentOf(digits)).format(ratio).replace('-', MINUS));
  const withUnit = (value: number, unit: string, digits = 0): string =>
    unit === '%' ? percent(value / 100, digits) : `${number(value, digits)}${THIN}${unit}`;
  return {
    number,
    withUnit,
    ms: (value) => {
      const inSeconds = value >= 999.5;
      const shown = inSeconds ? value / 1000 : value;
      return withUnit(shown, inSeconds ? 's' : 'ms', digitsFor(shown));
    },
    percent: (ratio) => percent(ratio, digitsFor(ratio * 100)),
    bytes: (value) => bytesWords(value, octets, number),
    duration: (ms) => durationWords(ms, number),
    ...createClocks(language, system),
    list: (words) => list.format(words),
  };
}
