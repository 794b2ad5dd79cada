import type { MenuItemConstructorOptions } from 'electron';
import { minutesUntilTomorrow, pauseChoices } from '../i18n/moments.ts';
import { type Face, type Platform, trayWords } from '../i18n/state-words.ts';
import type { Words } from '../i18n/words.ts';

export interface MenuActions {
  testNow(): void;
  open(page: 'now' | 'collect' | 'sent' | 'about' | 'helpdesk'): void;
  /** Zero ends the pause. */
  pause(minutes: number): void;
  quit(): void;
  /** Lets macOS ask for what guards the network's name. */
  showNetworkName?(): void;
}

export interface MenuView {
  words: Words;
  face: Face;
  nowMs: number;
  platform: Platform;
  mayQuit: boolean;
  /** macOS guards the network's name with a permission that nobody was asked for yet. */
  mayShowNetworkName?: boolean;
}

const LINE_CHARACTERS = 52;
/** A menu shows one line an item and takes `&` for the mark of a short cut. */
const plain = (text: string): string => text.replaceAll('&', '&&');

/** Breaks a text between words into lines that a menu can show without growing as wide as the screen. */
export function breakLines(text: string, most = LINE_CHARACTERS): string[] {
  const lines: string[] = [];
  for (const word of text.split(/[ \n]+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else if (word !== '') lines.push(word);
  }
  return lines;
}

function pauseItem({ words, face, nowMs }: MenuView, actions: MenuActions): MenuItemConstructorOptions {
  const { t } = words;
  if (!face.reachable) return { label: t('menu.pause'), enabled: false };
  const { state } = face;
  if (state.pausedUntilMs !== null) return { label: t('menu.resume'), click: () => actions.pause(0) };
  const submenu = pauseChoices(words, state.maxPauseMinutes, nowMs).map(({ label, minutes }) => {
    const isTomorrow = label === t('menu.pauseTomorrow');
    // The menu may have been made hours before it is clicked.
    return { label: plain(label), click: () => actions.pause(isTomorrow ? minutesUntilTomorrow(Date.now()) : minutes) };
  });
  return { label: t('menu.pause'), enabled: state.state !== 'declined', submenu };
}

function testItem({ words, face, nowMs }: MenuView, actions: MenuActions): MenuItemConstructorOptions {
  const { t } = words;
  const test = face.reachable ? face.state.test : null;
  if (test?.running) {
    const duration = words.duration(Math.max(1000, test.endsMs - nowMs));
    return { label: t('menu.testing', { duration }), enabled: false };
  }
  const measures = face.reachable && face.state.pausedUntilMs === null && face.state.state !== 'declined';
  return { label: t('menu.testNow'), enabled: measures && face.state.disclosure !== 'not_shown', click: () => actions.testNow() };
}

/** Only where there is a radio whose network has no name: asking changes nothing elsewhere. */
function nameItem({ words, face, mayShowNetworkName }: MenuView, actions: MenuActions): MenuItemConstructorOptions[] {
  if (!mayShowNetworkName || !face.reachable) return [];
  const { rssiDbm, ssid } = face.state.wifi;
  if (ssid !== null || rssiDbm === null || rssiDbm.value === null) return [];
  return [{ label: words.t('menu.showNetworkName'), click: () => actions.showNetworkName?.() }];
}

/** The tray's menu: the sentence of the present state, then what can be done. */
export function trayMenu(view: MenuView, actions: MenuActions): MenuItemConstructorOptions[] {
  const { words, face } = view;
  const { t } = words;
  const { sentence } = trayWords(words, face, view);
  const isNew = face.reachable && face.state.disclosure === 'not_shown';
  return [
    ...breakLines(sentence).map((line) => ({ label: plain(line), enabled: false })),
    { type: 'separator' },
    testItem(view, actions),
    { label: t('menu.open'), click: () => actions.open('now') },
    pauseItem(view, actions),
    ...nameItem(view, actions),
    { type: 'separator' },
    ...(isNew ? [{ label: t('menu.seeCollected'), click: () => actions.open('collect') }] : []),
    { label: t('menu.sent'), click: () => actions.open('sent') },
    { label: t('menu.helpdesk'), enabled: face.reachable, click: () => actions.open('helpdesk') },
    { label: t('menu.about'), click: () => actions.open('about') },
    ...(view.mayQuit ? [{ type: 'separator' as const }, { label: t('menu.quit'), click: () => actions.quit() }] : []),
  ];
}

/** What the eye can tell of a menu: one that reads the same is not put up anew, for that would close an open one. */
export const menuText = (items: readonly MenuItemConstructorOptions[]): string =>
  JSON.stringify(items, (key, value) => (key === 'click' ? undefined : value));
