import { before, behind, type Details, isFeared, some } from './details.ts';
import { has } from './item.ts';
import type { Part } from './split-tests.ts';

/** Texts to find, headers, JSON, steps of a browser: what stands in quotation marks, or behind a word that says so. */

interface Reading {
  items: readonly Part[];
  details: Details;
  /** The whole request, for texts without marks around them. */
  text: string;
  isBrowser: boolean;
  isDns: boolean;
}

const isText = ({ kind }: Part): boolean => kind === 'quote' || kind === 'header' || kind === 'json';

function isNegated(items: readonly Part[], at: number): boolean {
  const left = before(items, at, {
    most: 6,
    stops: (item) => isText(item) || item.kind === 'target' || item.kind === 'duration' || item.kind === 'status',
  });
  // `and` begins anew, `but not` does not.
  const turn = left.findIndex((item) => has(item, 'and') && !has(item, 'not'));
  const near = turn < 0 ? left : left.slice(0, turn);
  return some(near, 'not') !== isFeared(items, at);
}

function noteText({ details, isBrowser, isDns }: Reading, text: string, isNot: boolean): void {
  if (isDns) details.answers.push(text);
  else if (isNot) details.notContains.push(text);
  else if (isBrowser) details.steps.push({ do: 'expect_text', text });
  else details.contains.push(text);
}

/** `with body ...`: what is sent, not what is looked for. */
function isBody(items: readonly Part[], at: number): boolean {
  const [first, second] = before(items, at, { most: 2 });
  return (
    /^(body|rumpf|corps|cuerpo)$/.test(first?.folded ?? '') && /^(with|mit|avec|con|met|sending)$/.test(second?.folded ?? '')
  );
}

/** `click "X"`, or `auf "X" klicken`; each word of clicking is of one text. */
function isClicked(items: readonly Part[], at: number, left: readonly Part[]): boolean {
  const behindIt = items[at + 1];
  const clicking = has(behindIt, 'click') ? behindIt : left.find((item) => has(item, 'click') && !item.used);
  if (!clicking) return false;
  clicking.used = true;
  return true;
}

function readQuote(reading: Reading, at: number): void {
  const { items, details } = reading;
  const { text } = items[at] as Part;
  const left = before(items, at, { most: 3, stops: (item) => item.kind === 'quote' });
  if (has(left[0], 'named')) details.name = text;
  else if (isBody(items, at)) details.body = text;
  else if (isClicked(items, at, left)) details.steps.push({ do: 'click', on: { text } });
  else if (left[0]?.kind === 'header' || left[1]?.kind === 'header') {
    const header = details.headers.at(-1);
    if (header) header.equals = text;
  } else if (left.some(({ kind }) => kind === 'json')) {
    const json = details.json.at(-1);
    if (json) json.equals = text;
  } else noteText(reading, text, isNegated(items, at));
}

const STOPS = [
  'every',
  'below',
  'above',
  'from',
  'timeout',
  'not',
  'but',
  'via',
  'status',
  'also',
  'when',
  'alert',
  'runner',
  'everywhere',
  'answers',
];

/** `says Sign in`: from here to where something else begins. */
function readUnquoted(reading: Reading, at: number): void {
  const { items, text } = reading;
  const verb = items[at] as Part;
  let from = at + 1;
  while (
    items[from] &&
    (has(items[from], 'shows', 'contains') || (has(items[from], 'filler', 'equal') && !/^\p{Lu}/u.test(items[from]?.text ?? '')))
  )
    from += 1;
  const first = items[from];
  if (first?.kind !== 'word' || first.tags.has('not')) return;
  const isCapital = /^\p{Lu}/u.test(first.text);
  let to = from;
  while (to < items.length && to - from < 8) {
    const item = items[to] as Part;
    if (item.kind !== 'word' || (to > from && has(item, ...STOPS))) break;
    if (to > from && has(item, 'and', 'or') && !/^\p{Lu}/u.test(items[to + 1]?.text ?? '')) break;
    to += 1;
  }
  const last = items[to - 1];
  if (to === from || !last) return;
  if (!isCapital && (!verb.tags.has('contains') || to - from > 3 || has(first, 'every', 'from', 'status', 'certificate'))) return;
  noteText(reading, text.slice(first.start, last.end), isNegated(items, from));
  for (const item of items.slice(from, to)) item.used = true;
}

function readHeader({ items, details }: Reading, at: number): void {
  const { text: name, second } = items[at] as Part;
  const [, second2] = before(items, at, { most: 2 });
  const isSent =
    second?.includes('${secret:') ||
    (has(second2, 'withword') && second2?.folded !== 'send') ||
    /^(mit|avec|con|met|with|sending)$/.test(second2?.folded ?? '');
  if (isSent && second !== undefined) details.sent.push({ name, value: second });
  else details.headers.push({ name, ...(second === undefined ? {} : { equals: second }) });
}

function readJson({ items, details }: Reading, at: number): void {
  const right = behind(items, at, { most: 4, stops: isText });
  const value = right.find(
    (item, index) => index > 0 && (item.kind === 'number' || (item.kind === 'word' && item.tags.size === 0)),
  );
  const isEqual = some(right, 'equal', 'to', 'answers');
  const equals = value?.kind === 'number' ? value.value : value?.text;
  details.json.push({ path: items[at]?.text ?? '$', ...(isEqual && equals !== undefined ? { equals } : {}) });
  if (value) value.used = true;
}

export function readTexts(reading: Reading): void {
  const { items } = reading;
  for (const [at, item] of items.entries()) {
    if (item.kind === 'header') readHeader(reading, at);
    else if (item.kind === 'json') readJson(reading, at);
    else if (item.kind === 'quote') readQuote(reading, at);
    else if (item.kind === 'word' && isBody(items, at)) reading.details.body = item.text;
    else if (item.kind === 'word' && !item.used && has(item, 'contains', 'shows')) {
      const hasQuote = behind(items, at, { most: 5, stops: ({ kind }) => kind === 'target' }).some(isText);
      if (!hasQuote) readUnquoted(reading, at);
    }
  }
}
