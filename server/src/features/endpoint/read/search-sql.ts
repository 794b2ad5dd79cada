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
const NAMES = `substring(f.text FROM '^[^\n]*\n[^\n]*\n[^\n]*')`;
const SEPARATORS = /^[-–—·|/]+$/;

/** Lower case without accents; `foldSql` does the same to a column. */
function foldText(text: string): string {
  const longer = LONGER.reduce((folded, [from, to]) => folded.replaceAll(from, to), text);
  const plain = [...longer].map((letter) => PLAIN_TO[PLAIN_FROM.indexOf(letter)] ?? letter).join('');
  return plain
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
}

/** Most texts are ASCII, which is cheap to know and has nothing to fold but its case. */
function foldSql(column: string): string {
  const longer = LONGER.reduce((sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`, column);
  const plain = `normalize(translate(${longer}, '${PLAIN_FROM}', '${PLAIN_TO}'), NFD)`;
  const folded = `regexp_replace(${plain}, '[\\u0300-\\u036f]', '', 'g')`;
  return `lower(CASE WHEN octet_length(${column}) = length(${column}) THEN ${column} ELSE ${folded} END)`;
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
  if (words.length > 0 && words.length <= MAX_WORDS && words[0] !== text) {
    // The long ones first: they leave fewest devices to look at.
    const byLength = words.toSorted((a, b) => b.length - a.length);
    conditions.push(byLength.map((word) => wordSql(word, parts)).join(' AND '));
  }
  // OFFSET 0 keeps the planner from folding anew for each word.
  return `(SELECT ${conditions.join(' OR ')} FROM (SELECT ${foldSql('s.search')} AS text OFFSET 0) f)`;
}

function wordSql(word: string, parts: { add(value: unknown): string }): string {
  const isShort = word.length <= SHORT_WORD && /^[\p{L}\p{N}]+$/u.test(word);
  return isShort ? `${NAMES} ~ ${parts.add(`\\m${word}`)}` : `f.text LIKE ${parts.add(contains(word))}`;
}
