const MINUTES_OF_DAY = 1440;
const MINUTE_MS = 60_000;
/** Minutes that clocks are put forward at most, and the span that ends in them. */
const MOST_JUMP = 180;

export interface LocalTime {
  /** 0 is Sunday. */
  day: number;
  minute: number;
}

const DAYS: Readonly<Record<string, number>> = { Sun: 0, Mon: 1, Tue: 2, Wed: 3, Thu: 4, Fri: 5, Sat: 6 };
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const options = { timeZone: zone, hourCycle: 'h23', weekday: 'short', hour: '2-digit', minute: '2-digit' } as const;
  const made = new Intl.DateTimeFormat('en-GB', options);
  formats.set(zone, made);
  return made;
}

export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** What the clock on the wall of a time zone says. */
export function localTime(atMs: number, zone: string): LocalTime {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  return { day: DAYS[parts.weekday ?? ''] ?? 0, minute: Number(parts.hour) * 60 + Number(parts.minute) };
}

/** Minutes since midnight of `22:30`. */
export const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));

export interface DailySpan {
  time_zone: string;
  from: string;
  to: string;
}

/** Whether a moment is within a span of each day, which may pass midnight; one from a time to the same is all day. */
export function isWithin({ time_zone: zone, from, to }: DailySpan, atMs: number): boolean {
  const { minute } = localTime(atMs, zone);
  const [begin, end] = [minuteOf(from), minuteOf(to)];
  return begin < end ? minute >= begin && minute < end : minute >= begin || minute < end;
}

/** When the span that a moment is in ends, also where the clocks change before, or leave its end out. */
export function endOf(span: DailySpan, atMs: number): number {
  const { time_zone: zone, from, to } = span;
  const end = minuteOf(to);
  const wholeMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  const ahead = (end - localTime(wholeMs, zone).minute + MINUTES_OF_DAY) % MINUTES_OF_DAY || MINUTES_OF_DAY;
  const guess = wholeMs + ahead * MINUTE_MS;
  const off = ((localTime(guess, zone).minute - end + MINUTES_OF_DAY * 1.5) % MINUTES_OF_DAY) - MINUTES_OF_DAY / 2;
  let endMs = guess - off * MINUTE_MS;
  // No clock shows an end of 02:30 on the night that jumps from 2 to 3: it is over at 3.
  for (let more = 0; from !== to && more < MOST_JUMP && isWithin(span, endMs); more += 1) endMs += MINUTE_MS;
  return endMs;
}
