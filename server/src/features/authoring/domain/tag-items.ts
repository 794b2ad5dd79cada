import { type Item, newItem } from './item.ts';
import { SECOND } from './words/quantities.ts';
import { findLanguage, findMeaning, type Language, vocabularyOf } from './words/vocabulary.ts';

/** Gives words their meaning, and makes durations, rhythms and shares of numbers and units. */

const valueFrom = (item: Item | undefined, kind: string): number | undefined => {
  for (const tag of item?.tags ?? []) if (tag.startsWith(kind)) return Number(tag.slice(kind.length));
  return undefined;
};

function tagWords(items: readonly Item[], language: Language, text: string): Item[] {
  const vocabulary = vocabularyOf(language);
  const tagged: Item[] = [];
  // What is no word ends each phrase.
  const words = items.map(({ kind, folded }) => (kind === 'word' ? folded : ''));
  for (let at = 0; at < items.length; ) {
    const item = items[at] as Item;
    if (item.kind !== 'word') {
      tagged.push(item);
      at += 1;
      continue;
    }
    const meaning = findMeaning(vocabulary, words, at);
    const length = meaning?.length ?? 1;
    const end = items[at + length - 1]?.end ?? item.end;
    tagged.push({
      ...item,
      text: text.slice(item.start, end),
      folded: length === 1 ? item.folded : words.slice(at, at + length).join(' '),
      end,
      ...(meaning ? { tags: meaning.tags } : {}),
    });
    at += length;
  }
  return tagged;
}

const join = (kind: Item['kind'], items: readonly Item[], value: number): Item => {
  const [first, last] = [items[0] as Item, items.at(-1) as Item];
  const folded = items.map((one) => one.folded).join(' ');
  return { ...newItem(kind, items.map((one) => one.text).join(' '), { start: first.start, end: last.end }), folded, value };
};

/** `and a half`, `y medio`, `et demie`, `en een half`: how many items it takes. */
function halfMore(items: readonly Item[], at: number): number {
  if (!items[at]?.tags.has('and')) return 0;
  let next = at + 1;
  if (fills(items[next]) && !items[next]?.tags.has('half')) next += 1;
  return items[next]?.tags.has('half') ? next + 1 - at : 0;
}

const FILLS = ['filler', 'per', 'number:1', 'at'];
const fills = (item: Item | undefined): boolean => item?.kind === 'word' && FILLS.some((tag) => item.tags.has(tag));

/** `30 s`, `five minutes`, `half an hour`: how many items it takes, and its milliseconds. */
function readDuration(
  items: readonly Item[],
  at: number,
  below = Number.POSITIVE_INFINITY,
): { length: number; ms: number } | undefined {
  const first = items[at];
  const half = first?.tags.has('half') ? 0.5 : first?.tags.has('quarter') ? 0.25 : undefined;
  if (half !== undefined) {
    let next = at + 1;
    while (next < at + 3 && fills(items[next])) next += 1;
    const unit = valueFrom(items[next], 'unit:');
    return unit === undefined ? undefined : { length: next - at + 1, ms: half * unit };
  }
  const number = first?.kind === 'number' ? first.value : valueFrom(first, 'number:');
  if (number === undefined) return undefined;
  const following = items[at + 1];
  if (number === 1 && first?.kind === 'word' && (following?.tags.has('half') || following?.tags.has('quarter'))) {
    const inner = readDuration(items, at + 1);
    return inner && { length: inner.length + 1, ms: inner.ms };
  }
  // 14 more days.
  if (first?.kind === 'number' && /^(more|further|full|whole|weitere|volle|mas|extra)$/.test(following?.folded ?? '')) {
    const later = valueFrom(items[at + 2], 'unit:');
    return later === undefined ? undefined : { length: 3, ms: number * later };
  }
  const unit = following?.kind === 'word' ? valueFrom(following, 'unit:') : undefined;
  if (unit === undefined) {
    const inner = halfMore(items, at + 1);
    const later = inner === 0 ? undefined : valueFrom(items[at + 1 + inner], 'unit:');
    return later === undefined ? undefined : { length: inner + 2, ms: (number + 0.5) * later };
  }
  // 1m30s, 1 h 30 min: the units become smaller, so this ends.
  if (unit >= below) return undefined;
  const more = unit > SECOND && items[at + 2]?.kind === 'number' ? readDuration(items, at + 2, unit) : undefined;
  if (more) return { length: 2 + more.length, ms: number * unit + more.ms };
  const halved = halfMore(items, at + 2);
  return { length: 2 + halved, ms: (number + (halved > 0 ? 0.5 : 0)) * unit };
}

const COUNTS = Object.entries({ once: 1, twice: 2, thrice: 3, four: 4 });

/** `twice a minute`, `three times per hour`, `hourly`. */
function readRhythm(items: readonly Item[], at: number): { length: number; ms: number } | undefined {
  const first = items[at];
  if (first?.kind !== 'number' && first?.tags.size === 0) return undefined;
  const whole = valueFrom(first, 'rhythm:');
  if (whole !== undefined) return { length: 1, ms: whole };
  let next = at + 1;
  let count = COUNTS.find(([tag]) => first?.tags.has(tag))?.[1];
  if (count === undefined) {
    count = first?.kind === 'number' ? first.value : valueFrom(first, 'number:');
    if (count === undefined || !items[next]?.tags.has('times')) return undefined;
    next += 1;
  }
  if (!items[next]?.tags.has('per') && !items[next]?.tags.has('every')) return undefined;
  const each = readDuration(items, next + 1);
  const unit = each?.ms ?? valueFrom(items[next + 1], 'unit:');
  if (unit === undefined || count === 0) return undefined;
  return { length: next - at + 1 + (each?.length ?? 1), ms: unit / count };
}

/** `every minute`, `every other hour`, `alle Viertelstunde`: the unit alone. */
function readEvery(items: readonly Item[], at: number): { length: number; ms: number } | undefined {
  if (!items[at]?.tags.has('every') && items[at]?.folded !== 'alle') return undefined;
  let next = at + 1;
  let factor = 1;
  if (
    /^(other|second|zweite|zweiten|deuxieme|segundo|tweede|andere)$/.test(items[next]?.folded ?? '') &&
    valueFrom(items[next + 1], 'unit:') !== undefined
  ) {
    factor = 2;
    next += 1;
  }
  const unit = valueFrom(items[next], 'unit:');
  const half = halfMore(items, next + 1);
  return unit === undefined ? undefined : { length: next - at + 1 + half, ms: (factor + (half > 0 ? 0.5 : 0)) * unit };
}

/** `within a second`: one of the unit, where a bound stands before it. */
function readOne(items: readonly Item[], at: number): { length: number; ms: number } | undefined {
  const isBounded = ['below', 'above', 'timeout', 'after'].some((tag) => items[at - 1]?.tags.has(tag));
  const isOne = items[at]?.tags.has('per') ? 1 : 0;
  const unit = isBounded ? valueFrom(items[at + isOne], 'unit:') : undefined;
  const half = halfMore(items, at + isOne + 1);
  if (unit === undefined || isOne + half === 0) return undefined;
  return { length: isOne + 1 + half, ms: (half > 0 ? 1.5 : 1) * unit };
}

function joinQuantities(items: readonly Item[]): Item[] {
  const joined: Item[] = [];
  for (let at = 0; at < items.length; ) {
    const item = items[at] as Item;
    const rhythm = readRhythm(items, at) ?? readEvery(items, at);
    const duration = rhythm ? undefined : (readDuration(items, at) ?? readOne(items, at));
    const found = rhythm ?? duration;
    if (found) {
      joined.push(join(rhythm ? 'rhythm' : 'duration', items.slice(at, at + found.length), found.ms));
      at += found.length;
      continue;
    }
    if (item.kind === 'number' && items[at + 1]?.tags.has('percent')) {
      joined.push(join('percent', items.slice(at, at + 2), item.value ?? 0));
      at += 2;
      continue;
    }
    joined.push(item);
    at += 1;
  }
  return joined;
}

/** A number that was written as a word, where no unit follows. */
const numberWords = (items: readonly Item[]): Item[] =>
  items.map((item) => {
    const value = item.kind === 'word' ? valueFrom(item, 'number:') : undefined;
    return value === undefined || value === 1 ? item : { ...item, value };
  });

export function tagItems(items: readonly Item[], text: string): { items: Item[]; language: Language } {
  const words = items.filter(({ kind }) => kind === 'word').map(({ folded }) => folded);
  const language = findLanguage(words);
  return { items: numberWords(joinQuantities(tagWords(items, language, text))), language };
}
