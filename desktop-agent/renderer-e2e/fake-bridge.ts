import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Page } from '@playwright/test';
import type { AboutView, DisclosureView, HelpdeskView, LedgerEntry, LedgerResult } from '@svc/contracts/agent/ipc';
import { WINDOW_CALLS, type WindowOutput } from '@svc/contracts/agent/window-ipc';
import { buildWindow } from '../build-window.js';
import { about, disclosure, helpdesk, ledger, ledgerResults, NOW, weakWifi } from './views.ts';

/** What the fake main answers; everything in it parses with the contract before it is used. */
export interface Scenario {
  open: WindowOutput<'open'>;
  disclosure: DisclosureView;
  about: AboutView;
  helpdesk: HelpdeskView;
  ledger: LedgerEntry[];
  results: LedgerResult[];
  intact: boolean;
  /** Calls that fail, with the code they fail with. */
  faults: Readonly<Record<string, string>>;
  saves: boolean;
}

type Given = Partial<Omit<Scenario, 'open'>> & { open?: Partial<Scenario['open']> };

export function scenario(given: Given = {}): Scenario {
  const open = {
    service: { reachable: true, state: weakWifi() },
    settings: { language: 'system', theme: 'system', startAtLogin: true },
    desktop: { platform: 'linux', languages: ['en-GB'], tray: true, keyStore: 'system' },
    page: null,
    update: null,
    ...given.open,
  };
  return {
    disclosure: disclosure(),
    about: about(),
    helpdesk: helpdesk(),
    ledger: ledger(140),
    results: ledgerResults(),
    intact: true,
    faults: {},
    saves: true,
    ...given,
    open: WINDOW_CALLS.open.output.parse(open),
  };
}

/** Runs in the page, before its own code. Records every call; `tell` plays main's events. */
function installBridge(s: Scenario): void {
  const listeners = new Map<string, Set<(value: unknown) => void>>();
  const calls: unknown[] = [];
  const kept = structuredClone(s);
  const answers: Record<string, (input: Record<string, unknown>) => unknown> = {
    testNow: () => null,
    testDeeper: () => null,
    pause: () => ({ pausedUntilMs: null }),
    answerDisclosure: ({ answer }) => ({ disclosure: answer }),
    disclosure: () => kept.disclosure,
    switchItem: ({ item, on }) => {
      const items = kept.disclosure.items.map((one) =>
        one.item === item ? { ...one, on: Boolean(on), decidedBy: 'you' as const } : one,
      );
      kept.disclosure = { ...kept.disclosure, items };
      return kept.disclosure;
    },
    ledger: ({ search, before, limit }) => {
      const found = kept.ledger.filter((entry) => !search || JSON.stringify(entry).includes(String(search)));
      const left = before === undefined ? found : found.filter((entry) => entry.id <= Number(before));
      const entries = left.slice(0, Number(limit));
      const next = left[entries.length]?.id ?? null;
      return { entries, next, total: found.length, todayBytes: 700_000, todayEntries: kept.ledger.length, intact: kept.intact };
    },
    ledgerEntry: () => ({ results: kept.results }),
    about: () => kept.about,
    helpdesk: () => kept.helpdesk,
  };
  const wired = window as unknown as { calls: unknown[]; tell: (event: string, value: unknown) => void };
  wired.calls = calls;
  wired.tell = (event, value) => {
    for (const listener of listeners.get(event) ?? []) listener(value);
  };
  window.agent = {
    open: async () => kept.open,
    call: async (name: string, input: object) => {
      calls.push([name, input]);
      const code = kept.faults[name];
      return code ? { ok: false, code } : { ok: true, output: answers[name]?.(input as Record<string, unknown>) };
    },
    on: (event: string, listener: (value: never) => void) => {
      const all = listeners.get(event) ?? new Set();
      listeners.set(event, all.add(listener as (value: unknown) => void));
      return () => all.delete(listener as (value: unknown) => void);
    },
    setSettings: async (change: object) => {
      calls.push(['setSettings', change]);
      kept.open.settings = { ...kept.open.settings, ...change };
      return kept.open.settings;
    },
    saveFile: async (name: string, text: string) => {
      calls.push(['saveFile', { name, text }]);
      return kept.saves;
    },
    copy: async (text: string) => {
      calls.push(['copy', { text }]);
      return true;
    },
    restartForUpdate: async () => void calls.push(['restartForUpdate', {}]),
    closeWindow: async () => void calls.push(['closeWindow', {}]),
    ownMemory: async () => ({ bytes: 243_000_000, closedBytes: 131_000_000 }),
  } as unknown as Window['agent'];
}

const folder = join(import.meta.dirname, '..', '..', 'test-results', 'window-page');
let built: Promise<void> | undefined;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};
const ORIGIN = 'http://window.test';

export async function builtFolder(): Promise<string> {
  built ??= buildWindow(folder);
  await built;
  return folder;
}

/** What a page that is opened again is given anew, and what it has already. */
interface Opened {
  /** Where its complaints go: those of the last opening. */
  complaints: string[];
  /** Takes the bridge of the last opening away. */
  takeBridge: () => Promise<void>;
}
const pages = new WeakMap<Page, Opened>();

/** Gives a page, once, the built files and somebody who hears its complaints. */
async function wire(page: Page): Promise<Opened> {
  const files = await builtFolder();
  const opened: Opened = { complaints: [], takeBridge: async () => {} };
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') opened.complaints.push(message.text());
  });
  page.on('pageerror', (error) => opened.complaints.push(error.message));
  await page.route('**/*', async (route) => {
    const { origin, pathname } = new URL(route.request().url());
    const type = TYPES[extname(pathname)];
    if (origin !== ORIGIN || !type) {
      opened.complaints.push(`asked for ${route.request().url()}`);
      return route.abort();
    }
    return route.fulfill({ contentType: type, body: await readFile(join(files, pathname)) });
  });
  await page.clock.setFixedTime(NOW);
  return opened;
}

/** Opens the built page over the fake; gives what it complained about: errors, refused by its own policy or not. */
export async function openWindow(page: Page, given: Scenario): Promise<string[]> {
  const opened = pages.get(page) ?? (await wire(page));
  pages.set(page, opened);
  opened.complaints = [];
  const { complaints } = opened;
  // One bridge a document: those of earlier openings would each be made before it.
  await opened.takeBridge();
  const bridge = await page.addInitScript(installBridge, given);
  opened.takeBridge = () => bridge.dispose();
  await page.goto(`${ORIGIN}/index.html`);
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  await page.evaluate(() => document.fonts.ready);
  return complaints;
}

/** Main tells the page something. */
export const tell = (page: Page, event: string, value: unknown): Promise<void> =>
  page.evaluate(
    ([name, said]) => (window as unknown as { tell: (event: unknown, value: unknown) => void }).tell(name, said),
    [event, value],
  );

/** What the page asked of main, in order. */
export const callsOf = (page: Page): Promise<[name: string, input: Record<string, unknown>][]> =>
  page.evaluate(() => (window as unknown as { calls: [string, Record<string, unknown>][] }).calls);
