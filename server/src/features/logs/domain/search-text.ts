/** What a person typed into the search, as the store can look for it; all must be there. */
export interface SearchTerms {
  /** Whole words, lower case (ASCII only, as the index has them). */
  tokens: string[];
  /** Words or parts of longer ones, in the same lower case; no index finds them. */
  parts: string[];
  /** Stand in the body exactly so, but for case. */
  phrases: string[];
}

export const MAX_TOKENS = 32;

const TERM = /"([^"]*)"|(\S+)/g;
/** As ClickHouse's splitByNonAlpha: anything of ASCII that is no letter and no digit separates. */
const SEPARATORS = /[^A-Za-z0-9\u{80}-\u{10ffff}]+/u;

/** ClickHouse's lower() knows ASCII alone; another fold here would look for words that the index does not have. */
const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

export const tokensOf = (text: string): string[] => lowerAscii(text).split(SEPARATORS).filter(Boolean);

/** `disk "not found" /api/v2 "full"`: a word or part of one, anything quoted or with punctuation as it stands, a quoted word as a whole word. */
export function parseSearchText(text: string): SearchTerms {
  const [tokens, parts, phrases] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const [, quoted, bare] of text.matchAll(TERM)) {
    const term = (quoted ?? bare ?? '').trim();
    if (term === '') continue;
    const words = tokensOf(term);
    if (words.length === 1 && words[0] === lowerAscii(term)) {
      (quoted === undefined ? parts : tokens).add(words[0]);
      continue;
    }
    // The first and last word of a phrase may be parts of longer words, which the index does not find.
    for (const word of words.slice(1, -1)) tokens.add(word);
    phrases.add(term);
  }
  const bound = (terms: ReadonlySet<string>): string[] => [...terms].slice(0, MAX_TOKENS);
  return { tokens: bound(tokens), parts: bound(parts), phrases: bound(phrases) };
}
