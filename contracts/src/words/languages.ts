export const LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];
/** Longer, accented English: shows what does not fit and what is not in the catalogue. Never offered to a person. */
export const PSEUDO = 'en-XA';

/** Each in its own words: who cannot read the present language finds the own one. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
};

/** The locale whose dates and numbers go with a language where the system has none of it: day before month. */
export const LOCALES: Readonly<Record<Language | typeof PSEUDO, string>> = {
  en: 'en-GB',
  de: 'de-DE',
  fr: 'fr-FR',
  es: 'es-ES',
  'en-XA': 'en-GB',
};

/** The first of the wanted ones that we have, such as `['fr-CA', 'en-US']`; else English. */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const base = tag.toLowerCase().split(/[-_]/)[0];
    const found = LANGUAGES.find((language) => language === base);
    if (found) return found;
  }
  return 'en';
}
