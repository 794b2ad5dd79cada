import { type CaughtRequest, type Tally, watchFrame } from './watch-frame.ts';

/** Which signals of a visitor's browser the sample page sees. */
export const VISITORS = ['own', 'plain', 'gpc', 'dnt'] as const;
export type Visitor = (typeof VISITORS)[number];

/** What keeps the script from ever starting, as it asks for it itself. */
export type Barrier = 'webdriver' | 'gpc' | 'dnt';

type Signals = Navigator & { globalPrivacyControl?: boolean };

export const barrierOf = (navigator: Signals): Barrier | undefined => {
  if (navigator.webdriver) return 'webdriver';
  if (navigator.globalPrivacyControl) return 'gpc';
  return navigator.doNotTrack === '1' ? 'dnt' : undefined;
};

interface Rum {
  consent: () => void;
  withdraw: () => void;
}

export interface TriedScript {
  barrier: Barrier | undefined;
  consent: () => void;
  withdraw: () => void;
  /** As when the visitor goes to another tab; then back again. */
  leave: () => void;
}

interface TryOptions {
  visitor: Visitor;
  /** On this origin: the console loads nothing from another one. */
  script: { path: string; integrity: string };
  key: string;
  endpoint: string;
  onChange: (tally: Tally, caught: readonly CaughtRequest[]) => void;
}

function pretend(navigator: Navigator, visitor: Visitor): void {
  const put = (name: string, value: unknown): unknown => Object.defineProperty(navigator, name, { configurable: true, value });
  if (visitor === 'own') return;
  put('webdriver', false);
  put('globalPrivacyControl', visitor === 'gpc');
  put('doNotTrack', visitor === 'dnt' ? '1' : null);
}

function loadScript(frame: Window, { script, key, endpoint }: TryOptions): Promise<void> {
  const element = frame.document.createElement('script');
  element.dataset.key = key;
  element.dataset.endpoint = endpoint;
  element.crossOrigin = 'anonymous';
  element.integrity = script.integrity;
  return new Promise((resolve, reject) => {
    element.onload = () => resolve();
    element.onerror = () => reject(new Error('The script could not be loaded from this server.'));
    element.src = script.path;
    frame.document.head.append(element);
  });
}

function hide(document: Document): void {
  const put = (hidden: boolean): void => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: hidden ? 'hidden' : 'visible' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  };
  put(true);
  put(false);
}

/** Loads the script that visitors get into the sample page, with every request caught. Needs the frame's document to be loaded. */
export async function tryScript(frame: Window, options: TryOptions): Promise<TriedScript> {
  pretend(frame.navigator, options.visitor);
  watchFrame(frame as Window & typeof globalThis, options.onChange);
  await loadScript(frame, options);
  const rum = (): Rum | undefined => (frame as unknown as { svcRUM?: Rum }).svcRUM;
  if (!rum()) throw new Error('The script was loaded and did not start.');
  return {
    barrier: barrierOf(frame.navigator),
    consent: () => rum()?.consent(),
    withdraw: () => rum()?.withdraw(),
    leave: () => hide(frame.document),
  };
}
