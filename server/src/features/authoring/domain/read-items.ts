import { type Item, newItem } from './item.ts';
import { readTarget } from './read-target.ts';
import { fold } from './words/fold.ts';

/** Cuts a request into what it is made of; one pass, and no expression looks at anything twice. */

const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”',
  '„': '“',
  '«': '»',
  '‘': '’',
  '`': '`',
  '‹': '›',
  '‚': '‘',
};
const OPENS_WORD = /[\s([{,:;=]/;
const MARKS = ',;!?()[]{}|…¿¡';
const NOT_WORDS: ReadonlySet<string> = new Set(
  "don't doesn't can't couldn't mustn't shouldn't isn't aren't won't didn't wouldn't hasn't haven't".split(' '),
);

const MAX_QUOTE = 1024;

/** Where a quotation that begins here ends; undefined where it never does, or is an apostrophe. */
function endOfQuote(text: string, at: number): number | undefined {
  const opening = text[at] ?? '';
  const isSingle = opening === "'";
  if (isSingle && at > 0 && !OPENS_WORD.test(text[at - 1] ?? '')) return undefined;
  const closing = isSingle ? "'" : QUOTES[opening];
  if (closing === undefined) return undefined;
  const isEnd = (end: number): boolean => !isSingle || end + 1 >= text.length || !/[\p{L}\p{N}]/u.test(text[end + 1] ?? '');
  const others = opening === '„' ? [closing, '”', '"'] : [closing];
  const ends = others.map((one) => text.indexOf(one, at + 1)).filter((end) => end >= 0);
  const end = Math.min(...ends);
  if (ends.length > 0 && end - at <= MAX_QUOTE && isEnd(end)) return end;
  // An apostrophe inside of it.
  const next = isSingle && ends.length > 0 ? text.indexOf(closing, end + 1) : -1;
  return next >= 0 && next - at <= MAX_QUOTE && isEnd(next) ? next : undefined;
}

const word = (text: string, start: number): Item => ({
  ...newItem('word', text, { start, end: start + text.length }),
  folded: fold(text),
});

function readNumber(text: string): number | undefined {
  if (/^\d{1,3}([.,' ]\d{3})+$/.test(text) && !/^0/.test(text)) return Number(text.replace(/[.,' ]/g, ''));
  return /^\d{1,12}([.,]\d{1,6})?$/.test(text) ? Number(text.replace(',', '.')) : undefined;
}

/** Letters and digits side by side, such as 30s, 1m30s, 2xx or MX. */
function readRun(text: string, start: number): Item[] {
  const place = { start, end: start + text.length };
  if (/^[1-5]xx$/i.test(text)) return [{ ...newItem('status', text.toLowerCase(), place) }];
  if (/^[1-5]\d\d-[1-5]\d\d$/.test(text)) return [newItem('status', text, place)];
  const whole = readNumber(text);
  if (whole !== undefined) return [{ ...newItem('number', text, place), value: whole }];
  const glued = /^(\d+(?:[.,]\d+)?)(\p{L}+|%)/u.exec(text);
  if (!glued) return [word(text, start)];
  const [all, digits = '', letters = ''] = glued;
  const value = readNumber(digits);
  if (value === undefined) return [word(text, start)];
  const rest = text.slice(all.length);
  const number: Item = { ...newItem('number', digits, { start, end: start + digits.length }), value };
  return [number, word(letters, start + digits.length), ...(rest === '' ? [] : readRun(rest, start + all.length))];
}

const SPLITS = /[-/’'·–—]|(?<=\D)[.:]|[.:](?=\D|$)|[<>≤≥=&@%]=?|[^\s]/u;

/** A piece without blanks that is no target: words, numbers, signs. */
function readPieces(text: string, start: number): Item[] {
  if (NOT_WORDS.has(fold(text))) return [{ ...word('not', start), end: start + text.length }];
  const items: Item[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at, at + 80);
    const run = /^\d{3}-\d{3}(?!\d)|^\d+(?:[.,]\d+)*[\p{L}%]*(?:\d+[\p{L}]+)*|^[\p{L}\p{N}\p{M}_]+/u.exec(rest)?.[0];
    if (run !== undefined) {
      items.push(...readRun(run.replace(/[.,]$/, ''), start + at));
      at += run.length;
      continue;
    }
    const sign = /^(?:[<>]=?|[≤≥=&@%])/.exec(rest)?.[0];
    if (sign !== undefined) {
      const plain = sign.replace('≤', '<').replace('≥', '>');
      items.push({ ...word(plain, start + at), end: start + at + sign.length });
    } else if (MARKS.includes(rest[0] ?? '') || rest[0] === '.' || rest[0] === ':') {
      items.push(newItem('mark', rest[0] ?? '', { start: start + at, end: start + at + 1 }));
    }
    at += sign?.length ?? (SPLITS.exec(rest)?.[0].length || 1);
  }
  return items;
}

const TRIM_END = /[.,;:!?)\]}>"'”»…]$/;

/** Where the piece that begins here ends, without the marks around it that are the sentence's. */
function trimPiece(text: string, from: number, to: number): [number, number] {
  let [start, end] = [from, to];
  while (start < end && '(<{"\'“„«¿¡'.includes(text[start] ?? '')) start += 1;
  const hasOpen = text.slice(start, end).includes('(');
  while (end > start && TRIM_END.test(text[end - 1] ?? '')) {
    const last = text[end - 1];
    if (last === ']' && text[start] === '[') break;
    if (last === ')' && hasOpen) break;
    end -= 1;
  }
  return [start, end];
}

interface Reading {
  text: string;
  items: Item[];
  faults: string[];
  isWord: (folded: string) => boolean;
}

const HEADER_WORDS: ReadonlySet<string> = new Set('header headers kopfzeile entete cabecera encabezado kopregel tete'.split(' '));

/** `header X-Probe: yes`: the name, and what stands behind it. Gives where it ends. */
function readHeader({ text, items }: Reading, from: number, to: number): number | undefined {
  const last = items.at(-1);
  if (!last || !HEADER_WORDS.has(last.folded)) return undefined;
  const found = /^["']?([A-Za-z][A-Za-z0-9-]{1,63})["']?(:|=)?$/.exec(text.slice(from, to).replace(/[,.;]$/, ''));
  const name = found?.[1] ?? '';
  if (!found || !(found[2] !== undefined || name.includes('-') || /^[A-Z]/.test(name))) return undefined;
  const header = newItem('header', name, { start: from, end: to });
  items.push(header);
  const behind = /^\s*(?:[:=]\s*)?(?:(Bearer|Basic|Token)\s+)?(?:"([^"]{0,512})"|(\S{1,512}))/.exec(text.slice(to, to + 600));
  if (found[2] === undefined && !/^\s*[:=]/.test(text.slice(to, to + 3))) return to;
  if (!behind) return to;
  const value = behind[2] ?? (behind[3] ?? '').replace(/[,.;]+$/, '');
  header.second = behind[1] === undefined ? value : `${behind[1]} ${value}`;
  header.end = to + behind[0].length - (behind[3] !== undefined ? behind[3].length - value.length : 0);
  return header.end;
}

/** `shop.example's certificate`: a host all the same. */
const GENITIVE = /['’]s$/;

function readChunk(reading: Reading, from: number, to: number): void {
  const { text, items, faults, isWord } = reading;
  const [start, end] = trimPiece(text, from, to);
  const piece = text.slice(start, end);
  const place = { start, end };
  const before = items.length;
  if (/^\$[.[]/.test(piece)) items.push(newItem('json', piece, place));
  else if (/^[A-Za-z][A-Za-z0-9_.-]{0,62}=[^=\s]{1,128}$/.test(piece)) {
    const at = piece.indexOf('=');
    items.push({ ...newItem('pair', piece.slice(0, at), place), second: piece.slice(at + 1) });
  } else {
    const target = readTarget(piece.replace(GENITIVE, ''), (label) => isWord(fold(label)));
    if (target === undefined) items.push(...readPieces(text.slice(from, to), from));
    else if ('fault' in target) faults.push(target.fault);
    else items.push({ ...newItem('target', piece, place), target });
  }
  // The sentence goes on, or ends, behind it.
  if (
    items.length > before &&
    items.at(-1)?.kind !== 'mark' &&
    end < to &&
    /[.,;:!?]/.test(text[end] ?? '') &&
    items.at(-1)?.end === end
  )
    items.push(newItem('mark', text[end] ?? '', { start: end, end: end + 1 }));
}

/** The items of a request in their order, and what looks like a target and is none. */
export function readItems(text: string, isWord: (folded: string) => boolean): { items: Item[]; faults: string[] } {
  const reading: Reading = { text, items: [], faults: [], isWord };
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at] ?? '')) {
      if (text[at] === '\n') reading.items.push(newItem('mark', '.', { start: at, end: at + 1 }));
      at += 1;
      continue;
    }
    const quoteEnd = endOfQuote(text, at);
    if (quoteEnd !== undefined) {
      const inner = text.slice(at + 1, quoteEnd).trim();
      if (inner !== '') reading.items.push(newItem('quote', inner, { start: at, end: quoteEnd + 1 }));
      at = quoteEnd + 1;
      continue;
    }
    let to = at + 1;
    while (
      to < text.length &&
      !/\s/.test(text[to] ?? '') &&
      !(OPENS_WORD.test(text[to - 1] ?? '') && endOfQuote(text, to) !== undefined)
    )
      to += 1;
    const header = readHeader(reading, at, to);
    if (header === undefined) readChunk(reading, at, to);
    at = header ?? to;
  }
  return reading;
}
