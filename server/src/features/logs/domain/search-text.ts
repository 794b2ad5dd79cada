/** What a person typed into the search, as the store can look for it: words by their index, and the exact wording of what is more than a word. */
export interface SearchTerms {
  /** Whole words, lower case (ASCII only, as the index has them); all must be there. */
  tokens: string[];
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

/** `disk "not found" /api/v2`: words anywhere, quoted text and anything with punctuation as it stands. */
export function parseSearchText(text: string): SearchTerms {
  const tokens = new Set<string>();
  const phrases = new Set<string>();
  for (const [, quoted, bare] of text.matchAll(TERM)) {
    const term = (quoted ?? bare ?? '').trim();
    if (term === '') continue;
    const words = tokensOf(term);
    const inner = quoted === undefined ? words : words.slice(1, -1);
    // The first and last word of a quoted phrase may be parts of longer words, which the index does not find.
    for (const word of inner) tokens.add(word);
    if (quoted !== undefined || words.length !== 1 || words[0] !== lowerAscii(term)) phrases.add(term);
  }
  return { tokens: [...tokens].slice(0, MAX_TOKENS), phrases: [...phrases].slice(0, MAX_TOKENS) };
}
