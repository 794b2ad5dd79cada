/** Cuts answers to a size that an assistant can read, and says what was cut. */

export interface Cut {
  /** Of each list. */
  items: number;
  /** Of each text. */
  characters: number;
}

/** Tried in this order: what is short stays whole for as long as it can. */
const STEPS: readonly Cut[] = [
  { items: 1000, characters: 8000 },
  { items: 300, characters: 2000 },
  { items: 100, characters: 1000 },
  { items: 50, characters: 500 },
  { items: 20, characters: 300 },
  { items: 10, characters: 200 },
  { items: 5, characters: 100 },
  { items: 2, characters: 40 },
];

/** UTF-8 bytes of a value as JSON. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

type Shorten = (text: string, characters: number) => string;

export const cutText: Shorten = (text, characters) =>
  text.length <= characters
    ? text
    : `${text.slice(0, characters).toWellFormed()} (... ${text.length - characters} characters more)`;

/** A text that is not masked yet is never cut: half of a credential would not be recognised. */
export const dropText: Shorten = (text, characters) =>
  text.length <= characters ? text : `(a text of ${text.length} characters was left out)`;

function cutValue(value: unknown, cut: Cut, shorten: Shorten): unknown {
  if (typeof value === 'string') return shorten(value, cut.characters);
  if (Array.isArray(value)) return value.slice(0, cut.items).map((one) => cutValue(one, cut, shorten));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, Math.max(cut.items, 50));
  return Object.fromEntries(entries.map(([name, one]) => [name, cutValue(one, cut, shorten)]));
}

/** The value without texts of more characters. */
export const dropTexts = (value: unknown, characters: number): unknown =>
  cutValue(value, { items: Number.POSITIVE_INFINITY, characters }, dropText);

/** The value within so many bytes; `cut` is null where all of it is there. What cannot be cut small enough is left out as a whole. */
export function fitAnswer(
  value: unknown,
  maxBytes: number,
  shorten: Shorten = cutText,
): { value: unknown; cut: Readonly<Cut> | null } {
  if (bytesOf(value) <= maxBytes) return { value, cut: null };
  for (const cut of STEPS) {
    const smaller = cutValue(value, cut, shorten);
    if (bytesOf(smaller) <= maxBytes) return { value: smaller, cut };
  }
  return { value: null, cut: { items: 0, characters: 0 } };
}
