import { createTranslate } from '@svc/contracts/words/translate';
import { verdictMessages } from '@svc/contracts/words/verdict/en';
import { VERDICT_CATALOGUES } from '@svc/contracts/words/verdict-catalogues';
import { deepTest as deDeepTest } from './de/deep-test.ts';
import { disclosure as deDisclosure } from './de/disclosure.ts';
import { states as deStates } from './de/states.ts';
import { verdict as deVerdict } from './de/verdict.ts';
import { pages as dePages } from './de/window.ts';
import { deepTest } from './en/deep-test.ts';
import { disclosure } from './en/disclosure.ts';
import { states } from './en/states.ts';
import { verdict } from './en/verdict.ts';
import { pages } from './en/window.ts';
import { deepTest as esDeepTest } from './es/deep-test.ts';
import { disclosure as esDisclosure } from './es/disclosure.ts';
import { states as esStates } from './es/states.ts';
import { verdict as esVerdict } from './es/verdict.ts';
import { pages as esPages } from './es/window.ts';
import { createFormats, type Formats } from './formats.ts';
import { deepTest as frDeepTest } from './fr/deep-test.ts';
import { disclosure as frDisclosure } from './fr/disclosure.ts';
import { states as frStates } from './fr/states.ts';
import { verdict as frVerdict } from './fr/verdict.ts';
import { pages as frPages } from './fr/window.ts';
import { type Language, PSEUDO } from './languages.ts';
import type { Placeholders, Translation } from './message.ts';
import { distort } from './pseudo.ts';

const english = { ...verdictMessages, ...verdict, ...states, ...pages, ...disclosure, ...deepTest };
export type Catalogue = Translation<typeof english>;
export type MessageKey = keyof typeof english;

export const CATALOGUES: Readonly<Record<Language, Catalogue>> = {
  en: english,
  de: { ...VERDICT_CATALOGUES.de, ...deVerdict, ...deStates, ...dePages, ...deDisclosure, ...deDeepTest },
  fr: { ...VERDICT_CATALOGUES.fr, ...frVerdict, ...frStates, ...frPages, ...frDisclosure, ...frDeepTest },
  es: { ...VERDICT_CATALOGUES.es, ...esVerdict, ...esStates, ...esPages, ...esDisclosure, ...esDeepTest },
};

type Values<K extends MessageKey> = Readonly<Record<Placeholders<(typeof english)[K]>, string | number>>;
/** The message of a key; numbers are written in the language's own way, `n` chooses the plural form. */
export type Translate = <K extends MessageKey>(
  key: K,
  ...values: Placeholders<(typeof english)[K]> extends never ? [] : [Values<K>]
) => string;

/** Everything that puts words on a face, in one language. Immutable; make a new one for another language. */
export interface Words extends Formats {
  language: Language | typeof PSEUDO;
  t: Translate;
}

/** `system`: the tags of the system's own settings, best first; its clock has 12 or 24 hours by these. */
export function createWords(language: Language | typeof PSEUDO, system: readonly string[] = []): Words {
  const formats = createFormats(language, system);
  const catalogue = CATALOGUES[language === PSEUDO ? 'en' : language];
  return { ...formats, language, t: createTranslate({ language, catalogue, distort }, formats) as Translate };
}
