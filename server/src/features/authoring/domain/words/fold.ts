const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', œ: 'oe', æ: 'ae', ø: 'o', ı: 'i', ł: 'l', '’': "'" };

/** In lower case and without marks, as words are compared. */
export function fold(text: string): string {
  // Most words of most languages.
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[ßœæøıł’]/gu, (letter) => LETTERS[letter] ?? letter);
}

/** The other way to write German: with vowels in place of the marks that a keyboard lacks. */
export const foldGerman = (text: string): string =>
  fold(text.toLowerCase().replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue'));
