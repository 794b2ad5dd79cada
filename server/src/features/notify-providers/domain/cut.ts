/** What a provider counts: code points, units of UTF-16 (Java, Jira), or bytes of UTF-8. */
export type Unit = 'points' | 'units' | 'bytes';

const SIZES: Readonly<Record<Unit, (text: string) => number>> = {
  points: (text) => [...text].length,
  units: (text) => text.length,
  bytes: (text) => Buffer.byteLength(text),
};
const MARK = '…';
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** At most so long, shortened at a character as people see one: never inside of a letter with its accents or a flag. */
export function cut(text: string, most: number, unit: Unit = 'points'): string {
  const size = SIZES[unit];
  if (size(text) <= most) return text;
  const room = most - size(MARK);
  if (room < 0) return '';
  let kept = '';
  let used = 0;
  // No unit is larger than two of UTF-16, so that what lies behind never fits.
  for (const { segment } of segmenter.segment(text.slice(0, 2 * most + 2))) {
    used += size(segment);
    if (used > room) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${MARK}`;
}

/** Cut, with an end that always stays whole: the link to the incident. Where even that has no room, it is the end alone. */
export function cutBefore(text: string, end: string, { most, unit = 'points' }: { most: number; unit?: Unit }): string {
  const room = most - SIZES[unit](end);
  return room <= 0 ? end : `${cut(text, room, unit)}${end}`;
}
