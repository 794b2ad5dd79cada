import { createContext, useContext, useMemo } from 'react';
import { chooseLanguage } from '../i18n/languages.ts';
import { createWords, type Words } from '../i18n/words.ts';
import type { Snapshot } from './store.ts';

export const WordsContext = createContext<Words>(createWords('en'));
export const useWords = (): Words => useContext(WordsContext);

/** The words of the chosen language, or of the first system language that we have. */
export function useChosenWords(snapshot: Snapshot | null): Words {
  const language = snapshot?.settings.language ?? 'system';
  const system = snapshot?.desktop.languages.join(' ') ?? '';
  return useMemo(() => {
    const tags = system.split(' ');
    return createWords(language === 'system' ? chooseLanguage(tags) : language, tags);
  }, [language, system]);
}
