const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Quarters of an hour whose offsets are kept. */
const MOST_KNOWN = 5000;
/** No zone has changed its clock by more than this in one go since 1970. */
const LARGEST_SHIFT_MS = 3 * HOUR_MS;

/** Browsers know some zones by names that IANA keeps for old programs only. */
const RENAMED: Readonly<Record<string, string>> = {
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
};

/** The viewer's own zone by its IANA name, such as `Asia/Kolkata`. */
export function viewerZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return RENAMED[timeZone] ?? timeZone;
}

const createParts = (zone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  });

/** Times as the clocks of one zone show them. */
export interface Moments {
  zone: string;
  /** What the zone's clocks are ahead of UTC at an instant, milliseconds. */
  offsetMs(at: number | string): number;
  /** Time of day, as axes need it: 14:07. */
  clock(at: number | string): string;
  clockSeconds(at: number | string): string;
  /**
   * Relative to today in the zone: 14:07, yesterday 16:00, 3 Nov 09:15, 3 Nov 2025 09:15. In an hour that the clocks show twice it says
   * which one: 01:30 (UTC−3:30).
   */
  moment(at: number | string, now: number): string;
}

/** UTC, UTC+5:30, UTC−3:30: an offset of a zone in words. */
export function offsetWords(offsetMs: number): string {
  if (offsetMs === 0) return 'UTC';
  const minutes = Math.abs(Math.round(offsetMs / MINUTE_MS));
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`;
  return `UTC${offsetMs < 0 ? '\u2212' : '+'}${Math.floor(minutes / 60)}${rest}`;
}

/** The words for times in one zone; the viewer's own unless another one is named. */
export function createMoments(zone = viewerZone()): Moments {
  const parts = createParts(zone);
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...time });
  const seconds = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...time, second: '2-digit' });
  const day = new Intl.DateTimeFormat('en-GB', { timeZone: zone, day: 'numeric', month: 'short' });
  const dayYear = new Intl.DateTimeFormat('en-GB', { timeZone: zone, day: 'numeric', month: 'short', year: 'numeric' });

  /** The zone's wall clock at an instant, as if it were UTC. */
  const wallMs = (ms: number): number => {
    const of = Object.fromEntries(parts.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day: date = 1, hour = 0, minute = 0, second = 0 } = of;
    return Date.UTC(year, month - 1, date, hour, minute, second);
  };
  // No zone changes its clock but at a quarter of an hour; a page asks about few of them, again and again.
  const known = new Map<number, number>();
  const offsetAt = (ms: number): number => {
    const quarter = Math.floor(ms / (15 * MINUTE_MS));
    const found = known.get(quarter) ?? wallMs(quarter * 15 * MINUTE_MS) - quarter * 15 * MINUTE_MS;
    if (known.size > MOST_KNOWN) known.clear();
    known.set(quarter, found);
    return found;
  };
  /** Whether the clocks show this hour twice, because they are set back. */
  const isTwice = (ms: number): boolean => {
    const own = offsetAt(ms);
    return [ms - LARGEST_SHIFT_MS, ms + LARGEST_SHIFT_MS].some((near) => {
      const other = offsetAt(near);
      return other !== own && offsetAt(ms + own - other) === other;
    });
  };
  const mark = (ms: number): string => (isTwice(ms) ? ` (${offsetWords(offsetAt(ms))})` : '');
  const dayOf = (ms: number): number => Math.floor((ms + offsetAt(ms)) / (24 * HOUR_MS));
  const ms = (at: number | string): number => new Date(at).getTime();
  const marked = (at: number | string): string => clock.format(ms(at)) + mark(ms(at));

  return {
    zone,
    offsetMs: (at) => offsetAt(ms(at)),
    clock: (at) => clock.format(ms(at)),
    clockSeconds: (at) => seconds.format(ms(at)),
    moment(at, now) {
      const days = dayOf(now) - dayOf(ms(at));
      if (days === 0) return marked(at);
      if (days === 1) return `yesterday ${marked(at)}`;
      const sameYear = dayYear.format(ms(at)).slice(-4) === dayYear.format(now).slice(-4);
      return `${(sameYear ? day : dayYear).format(ms(at))} ${marked(at)}`;
    },
  };
}

/** "Asia/Kolkata (UTC+5:30)": a zone's name with what it is ahead of UTC now; just "UTC" where it is UTC. */
export function zoneWords(moments: Moments, now: number): string {
  const offset = offsetWords(moments.offsetMs(now));
  return moments.zone === 'UTC' || moments.zone === 'Etc/UTC' ? 'UTC' : `${moments.zone} (${offset})`;
}
