const isWordCode = (code: number): boolean =>
  // As ClickHouse's splitByNonAlpha: letters and digits of ASCII, and all that is beyond it.
  code >= 128 || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if ((at === 0 || !isWordCode(text.charCodeAt(at - 1))) && (end === text.length || !isWordCode(text.charCodeAt(end))))
      return true;
  }
  return false;
}

const UPPER = /[A-Z]+/g;

const lowerAscii = (text: string): string => text.replace(UPPER, (letters) => letters.toLowerCase());

/** Whether a text holds all of these (of `parseSearchText`): tokens as whole words, parts anywhere; whatever the case of ASCII letters. */
export function hasAllWords(text: string, { tokens, parts }: { tokens: readonly string[]; parts: readonly string[] }): boolean {
  if (tokens.length + parts.length === 0) return true;
  const lower = lowerAscii(text);
  return parts.every((part) => lower.includes(part)) && tokens.every((word) => hasWord(lower, word));
}
