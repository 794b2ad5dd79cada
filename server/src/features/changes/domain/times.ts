const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/i;
/** GitLab writes `2021-04-28 21:50:00 +0200` and `2015-05-17 18:08:09 UTC`, which engines read as they like. */
const SPACED = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (UTC|[+-]\d{4})$/;
const EARLIEST_MS = Date.UTC(1990, 0, 1);

/** Milliseconds of a time that somebody wrote; undefined for what is none, has no zone or is before computers told of changes. */
export function parseTime(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const spaced = SPACED.exec(value.trim());
  const text = spaced ? `${spaced[1]}T${spaced[2]}${spaced[3] === 'UTC' ? 'Z' : spaced[3]}` : value.trim();
  const parts = RFC_3339.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = parts;
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${offset}`);
  return Number.isFinite(at) && at >= EARLIEST_MS ? at : undefined;
}

/** Whole seconds since 1970, as some fields hold. */
export const parseSeconds = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value * 1000 >= EARLIEST_MS && value < 1e11 ? value * 1000 : undefined;

/** What an earlier or skewed clock claims to be ahead of us happened when we heard of it. */
export const notAhead = (ms: number, { nowMs, mostMs }: { nowMs: number; mostMs: number }): number =>
  ms > nowMs + mostMs ? nowMs : ms;
