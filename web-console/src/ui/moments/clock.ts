/**
 * A time of day as people type it, on the clock that the console shows: "8", "830", "8.30" and "08:30" alike. What is none stays as it is
 * typed, for whoever says so.
 */
export function readClock(text: string): string {
  const typed = text.trim();
  const found = /^(\d{1,2})(?:[:.h ]?(\d{2}))?$/.exec(typed);
  if (!found) return typed;
  const [hours, minutes] = [Number(found[1]), Number(found[2] ?? 0)];
  if (hours > 23 || minutes > 59) return typed;
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}

export const isClock = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(text);
