import type { CollectItem } from '../agent/ipc.ts';
import { disclosure as de } from './disclosure/de.ts';
import { disclosure as en } from './disclosure/en.ts';
import { disclosure as es } from './disclosure/es.ts';
import { disclosure as fr } from './disclosure/fr.ts';
import { createFormats, type Formats } from './formats.ts';
import type { Language } from './languages.ts';
import type { Placeholders, Translation } from './message.ts';
import { createTranslate } from './translate.ts';

/** What a device shows of what it collects, here for whoever shows the same elsewhere: the agent's faces have more words beside. */
export const DISCLOSURE_CATALOGUES: Readonly<Record<Language, Translation<typeof en>>> = { en, de, fr, es };
type Key = keyof typeof en;
type Values<K extends Key> = Readonly<Record<Placeholders<(typeof en)[K]>, string | number>>;

export interface DisclosureWords extends Formats {
  t: <K extends Key>(key: K, ...values: Placeholders<(typeof en)[K]> extends never ? [] : [Values<K>]) => string;
}

export function createDisclosureWords(language: Language): DisclosureWords {
  const formats = createFormats(language);
  const translate = createTranslate({ language, catalogue: DISCLOSURE_CATALOGUES[language] }, formats);
  return { ...formats, t: translate as DisclosureWords['t'] };
}

export type ShownItem = Pick<CollectItem, 'item' | 'on' | 'decidedBy' | 'targets'>;

export function itemName({ t }: DisclosureWords, { item, targets }: ShownItem): string {
  return item === 'path' || item === 'session' ? t(`item.${item}`, { n: targets.length }) : t(`item.${item}`);
}

/** What is recorded under an item's name, all of it. */
export const itemWhat = ({ t }: DisclosureWords, { item }: Pick<ShownItem, 'item'>): string => t(`item.${item}.what`);

export const itemWhy = ({ t }: DisclosureWords, { item }: ShownItem): string => t(`item.${item}.why`);

/** "On, by IT" and its like. */
export const itemState = ({ t }: DisclosureWords, { on, decidedBy }: ShownItem): string =>
  t(`collect.${on ? 'on' : 'off'}.${decidedBy}`);

/** Who may read it, for the first page that a person sees. */
export function readersWords({ t }: DisclosureWords, view: { organisation: string | null; readers: number | null }): string {
  const organisation = view.organisation ?? t('collect.organisation');
  return view.readers === null ? organisation : t('collect.people', { organisation, n: view.readers });
}
