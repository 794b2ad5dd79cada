import { readHelpdeskCode } from '@svc/contracts/agent/helpdesk-code';

/** Letters that Unicode does not take apart into a plain one and a mark; what they become has the same length for `translate`. */
const PLAIN_FROM = 'łŁøØđĐðÐħĦŧŦı';
const PLAIN_TO = 'llooddddhhtti';
const LONGER = [
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['Æ', 'ae'],
  ['œ', 'oe'],
  ['Œ', 'oe'],
] as const;
/** Beyond it only the text as it stands is looked for: each word is looked for in each device. */
const MAX_WORDS = 10;
/** A word this short is looked for where a word begins, and not in addresses or ids, which have any two characters somewhere. */
const SHORT_WORD = 2;
/** The first three lines: name, owner and site. */
const NAMES = `substring(g.text FROM '^[^\n]*\n[^\n]*\n[^\n]*')`;
const SEPARATORS = /^[-–—·|/]+$/;

/** Lower case without accents, as migration 0116 folds names when they are written. */
function foldText(text: string): string {
  const longer = LONGER.reduce((folded, [from, to]) => folded.replaceAll(from, to), text);
  const plain = [...longer].map((letter) => PLAIN_TO[PLAIN_FROM.indexOf(letter)] ?? letter).join('');
  return plain
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
}

/** The searched text of a row: folded names where they were folded when written, else what has accents is folded now; most have none. */
function foldedSql(): string {
  const longer = LONGER.reduce((sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`, 's.search');
  const plain = `normalize(translate(${longer}, '${PLAIN_FROM}', '${PLAIN_TO}'), NFD)`;
  return `CASE WHEN s.search_folded IS NOT NULL THEN s.search_folded || s.search
    WHEN octet_length(s.search) = length(s.search) THEN s.search
    ELSE regexp_replace(${plain}, '[\\u0300-\\u036f]', '', 'g') END`;
}

const contains = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/**
 * The condition of a search over `endpoint_summary s`: the text as it stands, or all its words in any order, without regard to case and
 * accents. A helpdesk's code finds its device by the id, with which every searched text ends.
 */
export function searchSql(search: string, { parts, nowMs }: { parts: { add(value: unknown): string }; nowMs: number }): string {
  const code = readHelpdeskCode(search, nowMs);
  if (code) return `s.search LIKE ${parts.add(`%${code.idTail}`)}`;
  const text = foldText(search);
  const conditions = [`f.text LIKE ${parts.add(contains(text))}`];
  const words = [...new Set(text.split(/[\s,;]+/))].filter((word) => word !== '' && !SEPARATORS.test(word));
  // OFFSET 0 keeps the planner from folding, and from cutting out the names, anew for each word.
  let rows = `(SELECT ${foldedSql()} AS text OFFSET 0)`;
  if (words.length > 0 && words.length <= MAX_WORDS && words[0] !== text) {
    const [short, long] = [words.filter(isShort), words.filter((word) => !isShort(word))];
    // The longest first: they leave fewest devices to look at, and names are cut out of those alone.
    const byLength = long.toSorted((a, b) => b.length - a.length);
    const found = byLength.map((word) => `g.text LIKE ${parts.add(contains(word))}`).join(' AND ') || 'true';
    rows = `(SELECT g.text, CASE WHEN ${found} THEN ${short.length > 0 ? NAMES : "''"} END AS names FROM ${rows} g OFFSET 0)`;
    conditions.push(['f.names IS NOT NULL', ...short.map((word) => `f.names ~ ${parts.add(`\\m${word}`)}`)].join(' AND '));
  }
  return `(SELECT ${conditions.join(' OR ')} FROM ${rows} f)`;
}

const isShort = (word: string): boolean => word.length <= SHORT_WORD && /^[\p{L}\p{N}]+$/u.test(word);
