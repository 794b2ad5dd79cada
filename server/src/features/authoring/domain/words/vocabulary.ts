import { DUTCH } from '@svc/contracts/words/requests/dutch';
import { ENGLISH } from '@svc/contracts/words/requests/english';
import { FRENCH } from '@svc/contracts/words/requests/french';
import { GERMAN } from '@svc/contracts/words/requests/german';
import { SPANISH } from '@svc/contracts/words/requests/spanish';
import { fold, foldGerman } from './fold.ts';
import { IMPOSSIBLE } from './impossible.ts';
import { NO_SLIPS } from './no-slips.ts';
import { NUMBER_WORDS, PERCENT_WORDS, RHYTHM_WORDS, UNIT_WORDS } from './quantities.ts';
import { SERVICES } from './services.ts';

/** What words mean, by language: each phrase has its tags, such as `below`, `unit:1000` or `number:30`. */

export type Language = 'en' | 'de' | 'fr' | 'es' | 'nl';
export const LANGUAGES: readonly Language[] = ['en', 'de', 'fr', 'es', 'nl'];
const TABLES: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  ...{ en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH, nl: DUTCH },
};

interface Phrase {
  words: readonly string[];
  tags: Set<string>;
}

export interface Vocabulary {
  /** Phrases by their first word, the longest first. */
  byFirst: ReadonlyMap<string, readonly Phrase[]>;
  /** Words that stand for all that begin so. */
  prefixes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Words with one letter left out, and what they were. */
  shortened: ReadonlyMap<string, readonly string[]>;
}

/** Of English, what is said in any language; its small words mean something else elsewhere. */
const SMALL: ReadonlySet<string> = new Set(
  'per filler not or and to at from when equal times every all but also after before half quarter once above withword named same other open up load alert'.split(
    ' ',
  ),
);

const spellings = (text: string): string[] => [...new Set([fold(text), foldGerman(text)])];

class Builder {
  readonly byFirst = new Map<string, Phrase[]>();
  readonly prefixes = new Map<string, Set<string>>();
  private readonly own = new Set<string>();

  /** `isLent`: words of another language, which count only where this one has none that is written so. */
  add(tag: string, written: string, isLent = false): void {
    for (const text of written.split('|').flatMap(spellings)) {
      if (isLent && this.own.has(text)) continue;
      if (!isLent) this.own.add(text);
      this.addOne(tag, text);
    }
  }

  private addOne(tag: string, text: string): void {
    if (text.endsWith('*')) {
      const tags = this.prefixes.get(text.slice(0, -1)) ?? new Set();
      this.prefixes.set(text.slice(0, -1), tags.add(tag));
      return;
    }
    const words = text.split(/[\s'-]+/).filter(Boolean);
    const first = words[0] ?? '';
    const phrases = this.byFirst.get(first) ?? [];
    const known = phrases.find((phrase) => phrase.words.join(' ') === words.join(' '));
    if (known) known.tags.add(tag);
    else phrases.push({ words, tags: new Set([tag]) });
    this.byFirst.set(first, phrases);
  }
}

const without = function* (word: string): Generator<string> {
  for (let i = 0; i < word.length; i += 1) yield word.slice(0, i) + word.slice(i + 1);
};

/** Shorter words are too near to each other to guess what was meant. */
const TYPO_LENGTH = 5;

function indexTypos({ byFirst, prefixes }: Builder): Map<string, string[]> {
  const shortened = new Map<string, string[]>();
  const alone = [...byFirst].filter(([, phrases]) => phrases.some(({ words }) => words.length === 1)).map(([word]) => word);
  for (const word of new Set([...alone, ...prefixes.keys()])) {
    if (word.length < TYPO_LENGTH) continue;
    for (const short of [word, ...without(word)]) shortened.set(short, [...(shortened.get(short) ?? []), word]);
  }
  return shortened;
}

function build(language: Language): Vocabulary {
  const builder = new Builder();
  for (const [tag, words] of Object.entries(TABLES[language])) builder.add(tag, words);
  if (language !== 'en') for (const [tag, words] of Object.entries(ENGLISH)) if (!SMALL.has(tag)) builder.add(tag, words, true);
  for (const [value, words] of NUMBER_WORDS) builder.add(`number:${value}`, words);
  for (const [ms, words] of UNIT_WORDS) builder.add(`unit:${ms}`, words);
  for (const [ms, words] of RHYTHM_WORDS) builder.add(`rhythm:${ms}`, words);
  builder.add('percent', PERCENT_WORDS);
  for (const name of Object.keys(SERVICES)) builder.add(`service:${name}`, name);
  for (const [index, [, words]] of IMPOSSIBLE.entries()) builder.add(`impossible:${index}`, words);
  for (const phrases of builder.byFirst.values()) phrases.sort((a, b) => b.words.length - a.words.length);
  return { byFirst: builder.byFirst, prefixes: builder.prefixes, shortened: indexTypos(builder) };
}

const built = new Map<Language, Vocabulary>();

export function vocabularyOf(language: Language): Vocabulary {
  const known = built.get(language) ?? build(language);
  built.set(language, known);
  return known;
}

/** Whether one letter more, less, other or changed with its neighbour makes the one of the other. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  if (restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}

/** No word of a request is longer than what is looked at. */
const MAX_WORD = 40;

function findPrefix({ prefixes }: Vocabulary, word: string): ReadonlySet<string> | undefined {
  for (let length = Math.min(word.length, MAX_WORD); length > 2; length -= 1) {
    const tags = prefixes.get(word.slice(0, length));
    if (tags) return tags;
  }
  return undefined;
}

const single = (phrases: readonly Phrase[] | undefined): Phrase | undefined => phrases?.find(({ words }) => words.length === 1);

/** Whether a slip of one letter makes the word of one that is known, or of one that begins as those do. */
function isSlipOf(known: string, word: string, isPrefix: boolean): boolean {
  if (known[0] !== word[0]) return false;
  if (isNear(known, word)) return true;
  return isPrefix && [-1, 0, 1].some((more) => isNear(known, word.slice(0, known.length + more)));
}

function findTypo({ shortened, byFirst, prefixes }: Vocabulary, word: string): ReadonlySet<string> | undefined {
  if (word.length < TYPO_LENGTH - 1 || word.length > MAX_WORD || NO_SLIPS.has(word)) return undefined;
  const near = new Set<string>();
  for (const short of [word, ...without(word)]) for (const one of shortened.get(short) ?? []) near.add(one);
  const found: ReadonlySet<string>[] = [];
  for (const one of near) {
    const tags = single(byFirst.get(one))?.tags ?? prefixes.get(one);
    if (tags && isSlipOf(one, word, prefixes.has(one))) found.push(tags);
  }
  // Slips of units are the most frequent ones.
  return found.find((tags) => [...tags].some((tag) => tag.startsWith('unit:'))) ?? found[0];
}

export interface Meaning {
  tags: ReadonlySet<string>;
  /** How many words it takes. */
  length: number;
}

/** What the words from here on mean; the longest phrase wins, a slip of one letter is forgiven. */
export function findMeaning(vocabulary: Vocabulary, words: readonly string[], at: number): Meaning | undefined {
  const word = words[at] ?? '';
  const phrases = vocabulary.byFirst.get(word);
  for (const { words: wanted, tags } of phrases ?? [])
    if (wanted.every((one, offset) => words[at + offset] === one)) return { tags, length: wanted.length };
  const tags = findPrefix(vocabulary, word) ?? findTypo(vocabulary, word);
  return tags && { tags, length: 1 };
}

/** A word that means something in any language. */
export function isKnownWord(folded: string): boolean {
  return LANGUAGES.some((language) => single(vocabularyOf(language).byFirst.get(folded)) !== undefined);
}

/** Languages by what their words are, or begin with; one table for all, so that a word is looked up once. */
interface Owners {
  exact: ReadonlyMap<string, ReadonlySet<Language>>;
  prefixes: ReadonlyMap<string, ReadonlySet<Language>>;
}

let owners: Owners | undefined;

/** Without numbers and units, which say little of a language. */
function ownersOf(): Owners {
  if (owners) return owners;
  const [exact, prefixes] = [new Map<string, Set<Language>>(), new Map<string, Set<Language>>()];
  const add = (to: Map<string, Set<Language>>, word: string, language: Language): void => {
    to.set(word, (to.get(word) ?? new Set()).add(language));
  };
  for (const language of LANGUAGES)
    for (const text of Object.values(TABLES[language]).flatMap((words) => words.split('|').flatMap(spellings)))
      if (text.endsWith('*')) add(prefixes, text.slice(0, -1), language);
      else for (const word of text.split(/[\s'-]+/)) add(exact, word, language);
  for (const [, words] of [...NUMBER_WORDS, ...UNIT_WORDS]) for (const one of words.split('|')) exact.delete(fold(one));
  owners = { exact, prefixes };
  return owners;
}

const LONGEST_PREFIX = 14;

function languagesOf(word: string, { exact, prefixes }: Owners): ReadonlySet<Language> {
  const found = new Set(exact.get(word));
  for (let length = 3; length <= Math.min(word.length, LONGEST_PREFIX); length += 1)
    for (const language of prefixes.get(word.slice(0, length)) ?? []) found.add(language);
  return found;
}

/** The language whose words stand here; one that several languages have counts less. English where there are none. */
export function findLanguage(words: readonly string[]): Language {
  const table = ownersOf();
  const scores = new Map<Language, number>(LANGUAGES.map((language) => [language, 0]));
  for (const word of words) {
    const found = languagesOf(word, table);
    for (const owner of found) scores.set(owner, (scores.get(owner) ?? 0) + 1 / found.size);
  }
  return [...scores].reduce((best, one) => (one[1] > best[1] + 1e-9 ? one : best))[0];
}
