/** Reads what strangers write: every field is looked at alone, bounded, and free of what would break a line or the database. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object, or one without anything. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** Controls but tabs and line ends, and what turns the direction of a line around. */
const CONTROLS = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** At most so many characters, never half of one. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}

/** Text of several lines; null for what is none, or empty. A number is its digits. */
export function textOf(value: unknown, most: number): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  // What nobody will see need not be looked at: a field may be a megabyte long.
  const text = String(value)
    .slice(0, most * 2 + 100)
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(CONTROLS, '')
    .trim();
  return text === '' ? null : cut(text, most);
}

/** The same in one line. */
export function wordOf(value: unknown, most: number): string | null {
  const text = textOf(value, most * 2);
  return text === null ? null : cut(text.replace(/\s+/g, ' '), most);
}

export const firstLine = (value: unknown, most: number): string | null =>
  wordOf(textOf(value, most * 4)?.split('\n')[0] ?? null, most);

/** Only what a browser opens as a page; anything else is no link. */
export function linkOf(value: unknown, most: number): string | null {
  if (typeof value !== 'string' || value.length > most || !/^https?:\/\//i.test(value)) return null;
  const url = URL.parse(value);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') return null;
  return url.href.length <= most ? url.href : null;
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
