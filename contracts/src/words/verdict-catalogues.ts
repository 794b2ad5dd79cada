import type { Language } from './languages.ts';
import type { Translation } from './message.ts';
import { verdictMessages as de } from './verdict/de.ts';
import { verdictMessages as en, type VerdictMessages } from './verdict/en.ts';
import { verdictMessages as es } from './verdict/es.ts';
import { verdictMessages as fr } from './verdict/fr.ts';

/** What is wrong and what to try, in each language of the window on the device. */
export const VERDICT_CATALOGUES: Readonly<Record<Language, Translation<VerdictMessages>>> = { en, de, fr, es };
