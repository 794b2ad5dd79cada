import { describe, expect, it } from 'vitest';
import { LANGUAGES, PSEUDO } from './languages.ts';
import { type Message, placeholdersOf } from './message.ts';
import { CATALOGUES, createWords, type MessageKey } from './words.ts';

const forms = (message: Message): string[] => (typeof message === 'string' ? [message] : [message.one, message.other]);
const names = (message: Message): string[] => [...new Set(forms(message).flatMap(placeholdersOf))].sort();
const keys = Object.keys(CATALOGUES.en) as MessageKey[];
const others = LANGUAGES.filter((language) => language !== 'en');

/** Words that are the same in another language, each looked at; one that no longer is has to go from here. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  de: [
    'path.col.hop',
    'menu.pause',
    'settings.pause',
    'settings.theme.system',
    'settings.server',
    'settings.organisation',
    'about.version',
    'helpdesk.code',
    'helpdesk.version',
    'sent.json',
    'state.offline.title',
    'helpdesk.session',
    'strip.part',
  ],
  fr: [
    'cause.wifi',
    'fine.wifi',
    'path.where.local',
    'menu.pause',
    'settings.pause',
    'about.version',
    'helpdesk.version',
    'sent.json',
    'sent.type.wifi',
    'sent.type.session',
    'test.part.wifi',
    'test.part.sessions',
    'strip.part',
    'window.pages',
    'settings.organisation',
  ],
  es: ['path.where.local', 'sent.json', 'strip.part', 'helpdesk.session'],
};

describe('the catalogue', () => {
  for (const language of others) {
    const catalogue = CATALOGUES[language];

    it(`has the same keys in ${language}`, () => {
      expect(Object.keys(catalogue).sort()).toEqual([...keys].sort());
    });

    it(`has the same placeholders in each form in ${language}`, () => {
      for (const key of keys) {
        expect(names(catalogue[key]), key).toEqual(names(CATALOGUES.en[key]));
        expect(typeof catalogue[key], key).toBe(typeof CATALOGUES.en[key]);
      }
    });

    it(`leaves nothing in English in ${language}`, () => {
      const same = keys.filter((key) => JSON.stringify(catalogue[key]) === JSON.stringify(CATALOGUES.en[key]));
      expect(same.sort()).toEqual([...(SAME[language] ?? [])].sort());
    });
  }

  for (const language of LANGUAGES) {
    it(`has no empty, padded or carelessly marked text in ${language}`, () => {
      for (const key of keys) {
        for (const text of forms(CATALOGUES[language][key])) {
          expect(text.trim(), key).toBe(text);
          expect(text, key).not.toBe('');
          // No exclamation mark, straight quote or double space.
          expect(text, key).not.toMatch(/[!'"]|\.\.\.| {2}/);
        }
      }
    });

    it(`ends a sentence in ${language} where the English one ends`, () => {
      const ends = (text: string): boolean => text.endsWith('.');
      for (const key of keys) {
        expect(forms(CATALOGUES[language][key]).map(ends), key).toEqual(forms(CATALOGUES.en[key]).map(ends));
      }
    });
  }

  it('marks every text in the pseudo-locale and keeps its values', () => {
    const words = createWords(PSEUDO);
    for (const key of keys) {
      const values = Object.fromEntries(names(CATALOGUES.en[key]).map((name) => [name, name === 'n' ? 2 : `<${name}>`]));
      const text = (words.t as (key: MessageKey, values: object) => string)(key, values);
      expect(text, key).toMatch(/^\[.*\]$/s);
      const inForm = placeholdersOf(forms(CATALOGUES.en[key]).at(-1) as string);
      for (const name of inForm.filter((one) => one !== 'n')) expect(text, key).toContain(`<${name}>`);
    }
  });
});
