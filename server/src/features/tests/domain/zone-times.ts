/** Instants of a time zone's clocks, from the zone data of the runtime. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formats.set(zone, made);
  return made;
}

/** Whether the runtime knows a zone of this IANA name. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** What the zone's clocks show, as if it were UTC: milliseconds. */
function shownAt(instantMs: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** How far the zone's clocks are ahead of UTC at an instant. */
const aheadMs = (instantMs: number, zone: string): number => shownAt(instantMs, zone) - Math.floor(instantMs / 1000) * 1000;

export interface LocalDay {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  /** 1 is Monday, 7 Sunday. */
  weekday: number;
}

/** The day that the zone's calendar shows, `offset` days later. */
export function localDay(instantMs: number, zone: string, offset = 0): LocalDay {
  const date = new Date(shownAt(instantMs, zone));
  const shifted = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + offset));
  return {
    ...{ year: shifted.getUTCFullYear(), month: shifted.getUTCMonth() + 1, day: shifted.getUTCDate() },
    weekday: shifted.getUTCDay() || 7,
  };
}

/**
 * The instant at which the zone's clocks show this time. One that they show twice is the first of both; one that they leave out is as much
 * later as they leave out.
 */
export function instantOf({ year, month, day }: LocalDay, minutes: number, zone: string): number {
  const shown = Date.UTC(year, month - 1, day, 0, minutes);
  // The offset a day before and a day after: they differ where the clocks are changed in between.
  const before = shown - aheadMs(shown - 86_400_000, zone);
  const after = shown - aheadMs(shown + 86_400_000, zone);
  const fits = [before, after].filter((instant) => shownAt(instant, zone) === shown);
  return fits.length > 0 ? Math.min(...fits) : before;
}
