import type { TestType } from '@svc/contracts/tests/test-types';
import { type Item, newItem } from './item.ts';
import { readItems } from './read-items.ts';
import { fold } from './words/fold.ts';
import { isKnownWord } from './words/vocabulary.ts';

/** Names that the tenant's own data give, as a request may use them. */

export interface Place {
  name: string;
  kind: 'app' | 'service' | 'host';
  hosts: readonly string[];
}

export interface KnownRunnerName {
  id: string;
  name: string;
  labels: Readonly<Record<string, string>>;
  site?: string | undefined;
}

export interface Known {
  tests: readonly { name: string; type: TestType; target: string }[];
  places: readonly Place[];
  runners: readonly KnownRunnerName[];
}

export type Named =
  | { is: 'test'; name: string; type: TestType; target: string }
  | ({ is: 'place' } & Place)
  | { is: 'runners'; ids: readonly string[] }
  | { is: 'label'; labels: Readonly<Record<string, string>> };

export interface NamedItem extends Item {
  named?: Named;
}

interface Entry {
  words: readonly string[];
  named: Named;
}

const wordsOf = (name: string): string[] =>
  readItems(name, () => false)
    .items.filter(({ kind }) => kind !== 'mark')
    .map(({ folded, kind, text }) => (kind === 'word' ? folded : text));

/** Short names, and those that are words anyway, would be found everywhere. */
const isTelling = (words: readonly string[]): boolean =>
  words.length > 1 || ((words[0]?.length ?? 0) > 2 && !isKnownWord(words[0] ?? ''));

/** Of letters or of digits alone, as every word and number of a request is made of. */
const RUN = /\d+|[\p{L}\p{M}]+/gu;
/** Runs of names that are compared with a request, over all names of a tenant: some three of each, where there are as many as there may be. */
const MOST_COMPARED = 40_000;
/** Of one name: one of more has more words than are looked for. */
const MOST_RUNS = 16;
/** Characters of names that are read for a request: of those alone whose every run stands in it. */
const MOST_READ = 20_000;

/** Whether a name can stand in a request at all, at the price of a look at its first words: most cannot. Nothing once much was looked at. */
function createGlance(items: readonly Item[], request: string) {
  // As it was written, and as it was read: "isn't" is "not".
  const texts = [request, ...items.map(({ text }) => text)];
  const runs = new Set(texts.flatMap((text) => [...text.matchAll(RUN)].map(([run]) => fold(run))));
  let [comparisons, characters] = [MOST_COMPARED, MOST_READ];
  return (name: string): boolean => {
    let count = 0;
    for (const [run] of name.matchAll(RUN)) {
      comparisons -= 1;
      count += 1;
      if (comparisons < 0 || count > MOST_RUNS || !runs.has(fold(run))) return false;
    }
    characters -= name.length;
    return count > 0 && characters >= 0;
  };
}

function entriesOf({ tests, places, runners }: Known, mayStand: (name: string) => boolean): Entry[] {
  const entries: Entry[] = [];
  const add = (name: string, named: Named, isShort = false): void => {
    if (!mayStand(name)) return;
    const words = wordsOf(name);
    if (
      words.length > 0 &&
      words.length <= 8 &&
      (isTelling(words) || (isShort && (words[0]?.length ?? 0) > 1 && !isKnownWord(words[0] ?? '')))
    )
      entries.push({ words, named });
  };
  for (const { id, name } of runners) add(name, { is: 'runners', ids: [id] });
  const sites = Map.groupBy(runners, ({ site }) => site);
  for (const [site, some] of sites) if (site !== undefined) add(site, { is: 'runners', ids: some.map(({ id }) => id) });
  for (const { labels } of runners)
    for (const [key, value] of Object.entries(labels)) add(value, { is: 'label', labels: { [key]: value } }, true);
  for (const place of places) add(place.name, { is: 'place', ...place });
  for (const { name, type, target } of tests) add(name, { is: 'test', name, type, target });
  return entries;
}

type Index = ReadonlyMap<string, readonly Entry[]>;

function indexOf(known: Known, items: readonly Item[], request: string): Index {
  const index = Map.groupBy(entriesOf(known, createGlance(items, request)), ({ words }) => words[0] ?? '');
  // The longest first; of those that are alike, the first: runners before places before tests.
  for (const entries of index.values()) entries.sort((a, b) => b.words.length - a.words.length);
  return index;
}

/** The items with names in place of the words that they are made of. */
export function findNames(items: readonly Item[], known: Known, text: string): NamedItem[] {
  const index = indexOf(known, items, text);
  const found: NamedItem[] = [];
  const wordAt = (at: number): string | undefined => {
    const item = items[at];
    return item?.kind === 'word' ? item.folded : item?.kind === 'number' ? item.text : undefined;
  };
  for (let at = 0; at < items.length; ) {
    const item = items[at] as Item;
    const entry = (index.get(wordAt(at) ?? '') ?? []).find(({ words }) =>
      words.every((word, offset) => word === wordAt(at + offset)),
    );
    if (!entry) {
      found.push(item);
      at += 1;
      continue;
    }
    const end = items[at + entry.words.length - 1]?.end ?? item.end;
    const { named } = entry;
    const isRunner = named.is === 'runners' || named.is === 'label';
    const made = newItem(isRunner ? 'runner' : 'place', text.slice(item.start, end), { start: item.start, end });
    found.push({ ...made, named });
    at += entry.words.length;
  }
  return found;
}
