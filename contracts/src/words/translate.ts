import { createFormats, type Formats } from './formats.ts';
import { type Language, LOCALES, PSEUDO } from './languages.ts';
import { fillTemplate, type Message } from './message.ts';

/** French sets its colons and marks apart by a space at which no line may end. */
const typeset = (text: string): string => text.replace(/ ([:;?!»])/g, '\u00a0$1').replace(/« /g, '«\u00a0');

export interface Translating {
  language: Language | typeof PSEUDO;
  catalogue: Readonly<Record<string, Message>>;
  /** What becomes of templates in the pseudo-language. */
  distort?: (template: string) => string;
}

/** Looks messages up: numbers are written in the language's own way, `n` chooses the plural form. Throws for an unknown key. */
export function createTranslate(
  { language, catalogue, distort }: Translating,
  formats: Formats = createFormats(language),
): (key: string, given?: Readonly<Record<string, string | number>>) => string {
  const plurals = new Intl.PluralRules(LOCALES[language]);
  const finish = language === 'fr' ? typeset : (text: string) => text;
  return (key, given = {}) => {
    const message = catalogue[key];
    if (message === undefined) throw new Error(`There is no message ${key}.`);
    const template = typeof message === 'string' ? message : message[plurals.select(Number(given.n)) === 'one' ? 'one' : 'other'];
    const values = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, typeof value === 'number' ? formats.number(value) : value]),
    );
    return fillTemplate(language === PSEUDO && distort ? distort(template) : finish(template), values);
  };
}
