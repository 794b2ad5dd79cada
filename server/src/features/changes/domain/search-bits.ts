/** Columns of `changes`, 64 bits each. */
export const SEARCH_COLUMNS = ['search_1', 'search_2', 'search_3', 'search_4'] as const;
type SearchBits = Record<(typeof SEARCH_COLUMNS)[number], string>;

const LETTERS = 3;
const BITS = SEARCH_COLUMNS.length * 64;

/** FNV-1a over the code units, its bits mixed once more: the lowest ones are used. */
function placeOf(text: string, from: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < from + LETTERS; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  return (hash >>> 0) % BITS;
}

/**
 * What a text is made of: each three letters in a row set one of 256 bits. A text that holds another has all bits of that; one that has them
 * need not hold it. Decimal, as PostgreSQL takes a bigint; all zero for fewer than three letters, which every text has.
 */
export function searchBits(text: string): SearchBits {
  const words = new BigUint64Array(SEARCH_COLUMNS.length);
  for (let at = 0; at + LETTERS <= text.length; at += 1) {
    const place = placeOf(text, at);
    const word = place >>> 6;
    words[word] = (words[word] ?? 0n) | (1n << BigInt(place & 63));
  }
  return Object.fromEntries(
    SEARCH_COLUMNS.map((column, word) => [column, BigInt.asIntN(64, words[word] ?? 0n).toString()]),
  ) as SearchBits;
}
