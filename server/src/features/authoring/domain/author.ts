import { readTest } from '@svc/contracts/tests/written-test';
import { chooseKinds } from './choose-subject.ts';
import type { Kind } from './choose-type.ts';
import { type CutText, cutSecrets } from './cut-secrets.ts';
import { type Details, newDetails } from './details.ts';
import type { Draft } from './draft.ts';
import { findExamples } from './examples.ts';
import { has } from './item.ts';
import { findNames, type Known } from './known.ts';
import { readItems } from './read-items.ts';
import { readNumbers } from './read-numbers.ts';
import { readTexts } from './read-texts.ts';
import { readShares, readTimes } from './read-times.ts';
import { readWords } from './read-words.ts';
import { type Part, type Segment, splitTests } from './split-tests.ts';
import { tagItems } from './tag-items.ts';
import { IMPOSSIBLE, NO_TIME_OF_DAY } from './words/impossible.ts';
import { HOUR } from './words/quantities.ts';
import { isKnownWord } from './words/vocabulary.ts';
import { writeTest } from './write-test.ts';

/** A request in words becomes tests, a question back, or the reason why it cannot. The same words and data always give the same. */

export type Authored =
  | { drafts: Draft[] }
  /** Each a whole answer: its first test is the one that was chosen. */
  | { choices: Draft[][]; question: string }
  | { missing: string[]; examples: [string, string] };

const NO_TARGET =
  'No host, address or URL stands in the request, and no name of your tests, apps, services or devices. Name one, or have a model configured (SVC_AI_MODEL_PROVIDER).';

const NO_TEST = 'What shall be asked of it? Say ping, a port, a URL, a name to resolve, or what a page has to answer.';

const tagsOf = (items: readonly Part[]): Set<string> => new Set(items.flatMap(({ tags, used }) => (used ? [] : [...tags])));

const CLOSED = 'A test passes when its target answers: that a port is closed, or a host silent, is none.';

/** `at 3 am`, `um 9 Uhr`, `à 9 h`, `om 9 uur`, `a las 9`. */
function isTimeOfDay(items: readonly Part[], at: number): boolean {
  const [previous, item, next] = [items[at - 1], items[at], items[at + 1]];
  const isInterval = has(next, 'every') || has(items[at + 2], 'every');
  if (item?.kind === 'duration') return /^(à|om)$/i.test(previous?.text ?? '') && (item.value ?? 0) % HOUR === 0 && !isInterval;
  if (item?.kind !== 'number' || !/^(at|um|om|à|las|a las)$/i.test(previous?.text ?? '')) return false;
  return previous?.folded.endsWith('las') === true || /^(am|pm|uhr|clock|o clock|oclock)$/.test(next?.folded ?? '');
}

/** What no test does, whatever else stands in the request. */
function findImpossible(items: readonly Part[]): string | undefined {
  const isOfPort = items.some((one) => has(one, 'port', 'tcp', 'udp'));
  let isAlert = false;
  for (const [at, item] of items.entries()) {
    isAlert ||= has(item, 'alert', 'when');
    if (isTimeOfDay(items, at)) return NO_TIME_OF_DAY;
    for (const tag of item.tags) {
      const isMethod = item.text === item.text.toUpperCase() && items[at + 1]?.kind === 'target';
      if (tag.startsWith('impossible:') && !isMethod) return IMPOSSIBLE[Number(tag.slice('impossible:'.length))]?.[0];
    }
    const left = items.slice(Math.max(0, at - 3), at);
    if (has(item, 'closed') && !isAlert && isOfPort) return CLOSED;
    if (has(item, 'open', 'ping') && !isAlert && left.some((one) => has(one, 'not'))) return CLOSED;
  }
  return undefined;
}

/** Words that stand in any sentence. */
const SAY_NOTHING: ReadonlySet<string> = new Set(
  'filler per at to from and or also but when not equal before after all named other'.split(' '),
);

/** Several words that mean nothing here, and none that does: whatever it asks for, it is no test. */
function isAboutSomethingElse(items: readonly Part[]): boolean {
  const words = items.filter(({ kind }) => kind === 'word');
  const isTest = words.some(({ tags }) => [...tags].some((tag) => !SAY_NOTHING.has(tag) && !tag.startsWith('number:')));
  const others = items.some(({ kind }) => !['word', 'mark', 'target', 'place', 'number'].includes(kind));
  return !isTest && !others && words.filter(({ tags }) => tags.size === 0).length >= 2;
}

interface Read {
  segment: Segment;
  said: Set<string>;
  details: Details;
}

const INTENTS = ['ping', 'tcp', 'udp', 'resolve', 'record', 'browser', 'web', 'certificate', 'port'];

function readSegment(segment: Segment, text: string): Read {
  const { items } = segment;
  const details = newDetails();
  const said = tagsOf(items);
  readTimes(items, details);
  readShares(items, details);
  readNumbers(items, details);
  readWords(items, details);
  const isUrl = segment.subjects.some(({ target }) => target?.kind === 'url');
  const isDns = details.records.length > 0 || (said.has('resolve') && !isUrl);
  readTexts({ items, details, text, isBrowser: said.has('browser'), isDns });
  return { segment, said: tagsOf(items), details };
}

const isBefore = ({ items, subjects }: Segment, tags: readonly string[], kinds: readonly Part['kind'][]): boolean => {
  const first = items.findIndex(({ start }) => start === subjects[0]?.start);
  return items.slice(0, first).some((item) => kinds.includes(item.kind) || has(item, ...tags));
};

/** What is said once, at the beginning or the end of several tests, is said of all of them. */
function share(all: readonly Read[]): void {
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last || all.length < 2) return;
  const own = (pick: (details: Details) => unknown): Read[] => all.filter(({ details }) => pick(details) !== undefined);
  const give = <K extends 'everyMs' | 'timeoutMs' | 'runners'>(key: K, isCommon: (from: Read) => boolean): void => {
    const given = own((details) => details[key]);
    const [from] = given;
    if (given.length !== 1 || !from || !(from === last || (from === first && isCommon(from)))) return;
    for (const { details } of all) details[key] = from.details[key];
  };
  give('everyMs', ({ segment }) => isBefore(segment, ['every'], ['rhythm', 'duration']));
  give('timeoutMs', ({ segment }) => isBefore(segment, ['timeout'], []));
  give('runners', ({ segment }) => isBefore(segment, ['everywhere', 'from'], ['runner']));
  for (const [index, { said }] of all.entries()) {
    const previous = all[index - 1]?.said;
    if (previous && !INTENTS.some((tag) => said.has(tag))) for (const tag of INTENTS) if (previous.has(tag)) said.add(tag);
  }
}

interface Context {
  cut: CutText;
  known: Known;
  taken: Set<string>;
}

interface Chosen {
  drafts: Draft[];
  choices: { drafts: Draft[]; question: string } | undefined;
  missing: string[];
}

function writeKinds(
  { cut, taken }: Context,
  { details, said }: Read,
  kinds: readonly Kind[],
): { drafts: Draft[]; missing: string[] } {
  const drafts: Draft[] = [];
  const missing: string[] = [];
  for (const kind of kinds) {
    const written = writeTest({ kind, details, said, secrets: cut.secrets, taken });
    if ('faults' in written) {
      missing.push(...written.faults);
      continue;
    }
    const checked = readTest(written.draft.test);
    if ('faults' in checked) missing.push(...checked.faults.map(({ path, message }) => `${path}: ${message}`));
    else drafts.push(written.draft);
  }
  return { drafts, missing };
}

/** Whoever says "slow" and no number is asked which of these is meant: a number that nobody said would be invented. Milliseconds. */
const SLOW_MS: Readonly<Record<Kind['type'], readonly number[]>> = {
  ...{ icmp: [50, 100, 300], dns: [50, 200, 1000], tcp: [100, 300, 1000], udp: [100, 300, 1000] },
  ...{ http: [1000, 2000, 5000], https: [1000, 2000, 5000], browser: [2000, 4000, 8000] },
};
const HOW_SLOW = 'From when on is it slow? Choose one, or say it in the request, such as “slower than 800 ms”.';

const saysSlow = ({ said, details: { bounds, timeoutMs, lossRatio } }: Read): boolean =>
  said.has('slow') && Object.keys(bounds).length === 0 && timeoutMs === undefined && lossRatio === undefined;

/** Of each kind a test for each time that may be meant. */
function writeSlow(context: Context, read: Read, kinds: readonly Kind[]): { drafts: Draft[]; missing: string[] } {
  const written = kinds.flatMap((kind) =>
    SLOW_MS[kind.type].map((total) => {
      // Only one of them is taken: they may have the same name.
      const apart = { ...context, taken: new Set(context.taken) };
      const { drafts, missing } = writeKinds(apart, { ...read, details: { ...read.details, bounds: { total } } }, [kind]);
      const said = total < 1000 ? `${total} ms` : `${total / 1000} s`;
      return { drafts: drafts.map((one) => ({ ...one, rationale: `${one.rationale} It fails above ${said}.` })), missing };
    }),
  );
  return { drafts: written.flatMap(({ drafts }) => drafts), missing: written.flatMap(({ missing }) => missing) };
}

function writeSegment(context: Context, read: Read): Chosen {
  const { segment, said, details } = read;
  const chosen: Chosen = { drafts: [], choices: undefined, missing: [...details.faults, ...details.unclear] };
  if (chosen.missing.length > 0) return chosen;
  for (const subject of segment.subjects) {
    const decision = chooseKinds({ subject, items: segment.items, said, details });
    if ('unclear' in decision) chosen.missing.push(decision.unclear);
    else if (saysSlow(read) && chosen.choices === undefined) {
      const { drafts, missing } = writeSlow(context, read, 'kinds' in decision ? decision.kinds : decision.choices);
      if (drafts.length === 0) chosen.missing.push(...missing);
      else chosen.choices = { drafts, question: 'kinds' in decision ? HOW_SLOW : `${decision.question} ${HOW_SLOW}` };
    } else if ('kinds' in decision) {
      const { drafts, missing } = writeKinds(context, read, decision.kinds);
      chosen.drafts.push(...drafts);
      chosen.missing.push(...missing);
    } else {
      // Of what could be meant, only what takes everything that was said.
      const { drafts, missing } = writeKinds(context, read, decision.choices);
      if (drafts.length === 0) chosen.missing.push(...missing);
      else if (drafts.length === 1) chosen.drafts.push(...drafts);
      else chosen.choices ??= { drafts, question: decision.question };
    }
  }
  return chosen;
}

/** More would be no request of a person. */
const MOST_TESTS = 20;
/** Resolvers, answers and redirects among them. */
const MOST_NAMED = 60;
const TOO_MANY = `One request makes ${MOST_TESTS} tests at most.`;

export function authorTests(prompt: string, known: Known): Authored {
  const cut = cutSecrets(prompt);
  const isWord = (folded: string): boolean => isKnownWord(folded);
  const read = readItems(cut.text, isWord);
  const { items } = tagItems(findNames(read.items, known, cut.text), cut.text);
  const said = tagsOf(items);
  const refuse = (...missing: string[]): Authored => ({ missing, examples: findExamples({ said, known }) });
  const impossible = findImpossible(items);
  if (impossible !== undefined) return refuse(impossible);
  if (cut.fault !== undefined) return refuse(cut.fault);
  if (read.faults.length > 0) return refuse(...read.faults);
  if (items.filter(({ kind }) => kind === 'target' || kind === 'place').length > MOST_NAMED) return refuse(TOO_MANY);
  const segments = splitTests(items);
  if (segments.length === 0) return refuse(NO_TARGET);
  if (isAboutSomethingElse(items)) return refuse(NO_TEST);
  if (segments.reduce((sum, { subjects }) => sum + subjects.length, 0) > MOST_TESTS) return refuse(TOO_MANY);
  const all = segments.map((segment) => readSegment(segment, cut.text));
  share(all);
  const context: Context = { cut, known, taken: new Set(known.tests.map(({ name }) => name.toLowerCase())) };
  const written = all.map((one) => writeSegment(context, one));
  const missing = written.flatMap((one) => one.missing);
  if (missing.length > 0) return refuse(...new Set(missing));
  const drafts = written.flatMap((one) => one.drafts);
  const open = written.find(({ choices }) => choices)?.choices;
  if (open) return { choices: open.drafts.map((draft) => [draft, ...drafts]), question: open.question };
  if (drafts.length === 0) return refuse(NO_TARGET);
  if (drafts.length > MOST_TESTS) return refuse(TOO_MANY);
  return { drafts };
}
