import type { AddedItem, CollectItem, DisclosureView } from '@svc/contracts/agent/ipc';
import type { Words } from './words.ts';

/** As the service writes a figure: plain ASCII, in no language. A name stays as it is. */
const FIGURE = /^(-?\d+)(?:\.(\d+))? (ms|dBm|%|Mbit\/s|MiB)$/;

/** "-79 dBm, LIS-LT-0143, 12.5 ms" with each figure as the language writes it. */
function figuresIn(words: Words, text: string): string {
  const parts = text.split(', ').map((part) => {
    const [, whole, decimals = '', unit = ''] = FIGURE.exec(part) ?? [];
    return whole === undefined ? part : words.withUnit(Number(`${whole}.${decimals}`), unit, decimals.length);
  });
  return parts.join(', ');
}

/** Nobody has chosen where to measure to. */
const isAimless = ({ item, targets }: CollectItem): boolean => (item === 'path' || item === 'session') && targets.length === 0;

export function itemName(words: Words, item: CollectItem): string {
  if (isAimless(item)) return words.t(item.item === 'path' ? 'path.title' : 'sessions.title');
  if (item.item === 'path' || item.item === 'session') return words.t(`item.${item.item}`, { n: item.targets.length });
  return words.t(`item.${item.item}`);
}

/** What is recorded under its name, all of it. */
export const itemWhat = (words: Words, item: CollectItem): string => words.t(`item.${item.item}.what`);

export const itemWhy = (words: Words, item: CollectItem): string => words.t(`item.${item.item}.why`);

/** "On, by IT" and its like. */
export const itemState = (words: Words, item: CollectItem): string =>
  words.t(`collect.${item.on ? 'on' : 'off'}.${item.decidedBy}`);

export function lastValue(words: Words, item: CollectItem): string {
  if (isAimless(item)) return words.t(item.item === 'path' ? 'path.none' : 'sessions.none');
  if (!item.on) return words.t('collect.lastOff');
  if (!item.last) return words.t('collect.lastNone');
  return words.t('collect.last', { text: figuresIn(words, item.last.text), time: words.clock(item.last.atMs) });
}

/** Where the settings in force come from. */
export function originWords(words: Words, view: DisclosureView, nowMs: number): string {
  const { policyVersion: version, policyAtMs } = view;
  if (version === 0) return words.t('collect.leadOwn');
  if (policyAtMs === null) return words.t('collect.leadUndated', { version });
  return words.t('collect.lead', { version, date: words.date(policyAtMs, nowMs) });
}

const organisationOf = (words: Words, view: DisclosureView): string => view.organisation ?? words.t('collect.organisation');

/** Who reads it and how long it is kept, in one line. */
export function seenWords(words: Words, view: DisclosureView): string {
  if (view.server === null) return words.t('state.notEnrolled');
  const organisation = organisationOf(words, view);
  const kept = view.keptDays === null ? words.t('collect.keptUnknown') : words.t('collect.kept', { n: view.keptDays });
  if (view.readers === null) return words.t('collect.seenUncounted', { organisation, kept });
  return words.t('collect.seen', { organisation, n: view.readers, kept });
}

export function readersWords(words: Words, view: DisclosureView): string {
  if (view.server === null) return words.t('collect.nobody');
  const organisation = organisationOf(words, view);
  return view.readers === null ? organisation : words.t('collect.people', { organisation, n: view.readers });
}

/** How long it is kept, as the first page says it. */
export const keptWords = ({ t }: Words, { keptDays }: DisclosureView): string =>
  keptDays === null ? t('welcome.keptUnknown') : t('welcome.keptText', { n: keptDays });

/** "Every 5 minutes"; undefined for what has no interval of its own. */
export function everyWords(words: Words, { on, everySeconds }: Pick<CollectItem, 'on' | 'everySeconds'>): string | undefined {
  if (!on || everySeconds === null) return undefined;
  return words.t('collect.every', { duration: words.duration(everySeconds * 1000) });
}

/** The interval of what was added: what it was before too, where it is only measured more often. */
export function addedEveryWords(words: Words, added: AddedItem): string | undefined {
  if (added.wasEverySeconds === null || added.everySeconds === null) return everyWords(words, { on: true, ...added });
  const [now, before] = [added.everySeconds, added.wasEverySeconds].map((seconds) => words.duration(seconds * 1000));
  return words.t('collect.everyNow', { now: now ?? '', before: before ?? '' });
}

/** "Time to open 1 service": of what is new alone, or of the whole item where it is only measured more often. */
export const addedName = (words: Words, added: AddedItem, item: CollectItem): string =>
  itemName(words, added.targets.length > 0 ? { ...item, targets: added.targets } : item);

function itemLines(words: Words, item: CollectItem): string[] {
  const every = everyWords(words, item) ?? [];
  return [
    `${itemName(words, item)}: ${itemState(words, item)}`,
    ...[itemWhat(words, item), itemWhy(words, item), every, ...item.targets, lastValue(words, item)]
      .flat()
      .map((line) => `  ${line}`),
  ];
}

/** The page as plain text, to keep or to hand on. */
export function disclosureText(words: Words, view: DisclosureView, nowMs: number): string {
  return [
    `${words.t('tab.collect')} (${words.date(nowMs, nowMs)} ${words.clock(nowMs)})`,
    originWords(words, view, nowMs),
    '',
    ...view.items.flatMap((item) => [...itemLines(words, item), '']),
    words.t('collect.never'),
    `  ${words.t('collect.neverText')}`,
    '',
    seenWords(words, view),
    '',
  ].join('\n');
}
