import { expect, type Page } from '@playwright/test';

/** As much of the DOM as is read here: its own types do not go together with those of Node that the product is written in. */
interface PageElement {
  textContent: string | null;
  scrollWidth: number;
  clientWidth: number;
  checkVisibility(): boolean;
  getAttribute(name: string): string | null;
  closest(selector: string): PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

declare global {
  /** Of the page: only what runs there may use them. */
  var document: PageElement & { documentElement: PageElement; body: PageElement; activeElement: PageElement | null };
  var location: { pathname: string; href: string };
  var crawledDocument: number | undefined;
}

export interface PageState {
  path: string;
  /** The page of the address with its data, or words that say why not; not the page before, which stands until the next one has come. */
  settled: boolean;
  heading: string;
  /** Failures where the page's content should be. */
  alerts: string[];
  navigation: boolean;
  /** Characters of the page; a measure of whether its data are there. */
  characters: number;
  /** Pixels that the document is wider than the window. */
  beyondEdge: number;
  focusLost: boolean;
  /** Times of day on screen, with the instants that they stand for. */
  clocks: { instant: string; text: string }[];
}

function readHere(): PageState {
  const main = document.querySelector('main');
  const hasContent = main?.querySelector('h1, [role=alert], .empty') !== null;
  const edge = document.documentElement;
  return {
    path: location.pathname,
    settled: main !== null && hasContent && !main.closest('[aria-busy=true]') && !main.querySelector('.ghost, [aria-busy=true]'),
    heading: main?.querySelector('h1, h2')?.textContent ?? '',
    alerts: [...(main?.querySelectorAll('[role=alert]') ?? [])].map((alert) => alert.textContent ?? ''),
    navigation: document.querySelector('nav[aria-label=Pages] a')?.checkVisibility() ?? false,
    characters: main?.textContent?.length ?? 0,
    beyondEdge: edge.scrollWidth - edge.clientWidth,
    focusLost: document.activeElement === document.body,
    clocks: [...document.querySelectorAll('time[datetime]')].flatMap((time) => {
      const text = /\b\d\d:\d\d\b/.exec(time.textContent ?? '')?.[0];
      return text ? [{ instant: time.getAttribute('datetime') ?? '', text }] : [];
    }),
  };
}

export const readPage = (page: Page): Promise<PageState> => page.evaluate(readHere);

/** A number of its own for each document, by which a page that was loaded anew is told from one that was not. */
export const readDocument = (page: Page): Promise<number> =>
  page.evaluate(() => {
    globalThis.crawledDocument ??= Math.random();
    return globalThis.crawledDocument;
  });

export const isAtSignIn = (page: Page): boolean => new URL(page.url()).pathname.startsWith('/auth/');

/** The page once it has settled at this path or asks for a sign-in; else what it is like after `ms`. */
export async function waitForPage(page: Page, { path, ms = 10_000 }: { path: string; ms?: number }): Promise<PageState> {
  let last: PageState | undefined;
  let sameFor = 0;
  await expect
    .poll(
      async () => {
        if (isAtSignIn(page)) return true;
        // Between two documents there is nothing to read.
        const now = await readPage(page).catch(() => undefined);
        const isSame = now?.settled && now.path === path && now.characters === last?.characters;
        sameFor = isSame ? sameFor + 1 : 0;
        last = now;
        return sameFor >= 2;
      },
      { timeout: ms, intervals: [60] },
    )
    .toBe(true)
    .catch(() => {});
  return last ?? (await readPage(page));
}
