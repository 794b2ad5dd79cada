import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Locator, Page } from '@playwright/test';
import { type Demo, emailOf, PASSWORD } from '../stack/demo.ts';
import { isAtSignIn, type PageState, readDocument, readPage, waitForPage } from './read-page.ts';
import type { Place } from './routes.ts';
import { beginOutage, expireSession, loseChunks } from './troubles.ts';
import type { Walk } from './walks.ts';

/** How long the server is away, s; the page's own clock runs that fast. */
const OUTAGE_SECONDS = 20;
/** Within this the data are back, s: the longest poll and the longest wait of a retry. */
const BACK_SECONDS = 15;
const SETTLE_MS = 10_000;
const PALETTE_MS = 3000;

/** Errors in the browser's console that are the trouble itself. */
const OF_TROUBLE: Readonly<Record<Walk['trouble'], RegExp>> = {
  none: /(?!)/,
  unavailable: /the server responded with a status of 503/,
  'chunk gone': /the server responded with a status of 404|dynamically imported module|Importing a module script/,
  'session expired': /the server responded with a status of 401/,
};

/** What a page asks for that its reader may not have. */
const isRefusal = ({ person }: Walk, text: string): boolean => person !== 'admin' && /a status of 403/.test(text);

interface Walker {
  page: Page;
  walk: Walk;
  place: Place;
  url: string;
  faults: string[];
  /** Characters of each page when it was last seen, by path. */
  sizes: Map<string, number>;
  /** The session is gone, and nobody has signed in since. */
  isSignedOut: boolean;
  /** The page that is left once the session is gone. */
  left: string;
}

/** Where an address leads: the landing goes to the first page that its reader may open. */
const landing = ({ person }: Walk, path: string): string => {
  if (path !== '/') return path;
  return person === 'auditor' ? '/audit' : '/fleet';
};

/** What is wrong with the page as it stands; a page that somebody may not read says so, and is whole. */
function findFaults(state: PageState, walk: Walk): string[] {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: walk.zone, hour: '2-digit', minute: '2-digit' });
  const wrongClock = state.clocks.find(({ instant, text }) => clock.format(new Date(instant)) !== text);
  const alerts = state.alerts.filter((text) => !text.startsWith('No permission'));
  return [
    ...(state.settled ? [] : ['it did not settle']),
    ...(state.navigation ? [] : ['the navigation is gone']),
    ...(state.beyondEdge > 0 ? [`${state.beyondEdge} px of the document are beyond the edge`] : []),
    ...(wrongClock ? [`${wrongClock.text} is not the viewer's time of ${wrongClock.instant}`] : []),
    ...alerts.map((text) => `it says "${text.slice(0, 120)}"`),
  ];
}

/** The page at this path is whole: heading, data as before, navigation, nothing beyond the edge, and focus somewhere where it was in one document. */
async function expectWhole(walker: Walker, towards: string, after: string): Promise<void> {
  const { page, walk, faults, sizes } = walker;
  let path = towards;
  let state = await waitForPage(page, { path, ms: SETTLE_MS });
  if (walker.isSignedOut && isAtSignIn(page)) {
    // A page that notices in the very moment in which it is left is what the sign-in leads back to.
    if (new URL(page.url()).searchParams.get('return_to')?.split('?')[0] === walker.left) path = walker.left;
    await signIn(walker);
    state = await waitForPage(page, { path, ms: SETTLE_MS });
  }
  const found = findFaults(state, walk);
  if (state.path !== path) found.push(`it is at ${state.path}`);
  const before = sizes.get(path);
  if (before !== undefined && state.characters < before / 2) found.push(`${state.characters} characters where ${before} were`);
  sizes.set(path, state.characters);
  faults.push(...found.map((fault) => `${path} after ${after}: ${fault}`));
}

/** A change of page inside one document leaves focus in the page. */
async function go(walker: Walker, { path, by, act }: { path: string; by: string; act: () => Promise<unknown> }): Promise<void> {
  const { page, faults } = walker;
  const before = await readDocument(page);
  await act();
  await expectWhole(walker, path, by);
  const isSame = before === (await readDocument(page));
  if (isSame && (await readPage(page)).focusLost) faults.push(`${path} after ${by}: focus is nowhere`);
}

const linkTo = (page: Page, path: string) => page.locator(`a[href="${path}"], a[href^="${path}?"]`).filter({ visible: true });

/** False where the palette does not lead there. */
async function enterByPalette(walker: Walker): Promise<boolean> {
  const { page, place, faults } = walker;
  if (place.wanted === undefined) return false;
  const palette = page.getByRole('dialog');
  if (!(await openPalette(walker)) && !(await openPalette(walker))) {
    faults.push(`${place.origin}: the palette does not open`);
    return false;
  }
  await palette.getByRole('combobox').fill(place.wanted);
  const option = palette.getByRole('option').filter({ hasText: place.wanted.slice(0, 4) });
  const isThere = await isSoonVisible(option.first());
  await page.keyboard.press(isThere ? 'Enter' : 'Escape');
  return isThere;
}

/** True once it is open. Where its part of the console is gone, the page is loaded anew instead. */
async function openPalette({ page, place }: Walker): Promise<boolean> {
  await page.keyboard.press('Control+k');
  if (await isSoonVisible(page.getByRole('dialog').getByRole('combobox'))) return true;
  await waitForPage(page, { path: place.origin, ms: PALETTE_MS });
  return false;
}

const isSoonVisible = (element: Locator): Promise<boolean> =>
  element
    .waitFor({ timeout: PALETTE_MS })
    .then(() => true)
    .catch(() => false);

/** By the way chosen, or by address where that way does not lead there. */
async function enter(walker: Walker): Promise<void> {
  const { page, walk, place, url } = walker;
  await page.goto(`${url}${place.origin}`);
  await expectWhole(walker, place.origin, 'opening it');
  if (walk.trouble === 'chunk gone' && walk.wayIn !== 'address') await loseChunks(page);
  await go(walker, {
    path: landing(walk, place.path),
    by: walk.wayIn,
    act: async () => {
      const link = linkTo(page, place.path).first();
      if (walk.wayIn === 'link' && (await link.count()) > 0) return await link.click();
      if (walk.wayIn === 'palette' && (await enterByPalette(walker))) return undefined;
      return await page.goto(`${url}${place.path}`);
    },
  });
}

/** The server is away for a while. What was read stays on screen, focus stays, and the data are back without a hand. */
async function sitOutage({ page, faults, place, walk }: Walker): Promise<void> {
  const before = await readPage(page);
  const focused = page.locator('main').locator('a[href], button:enabled, input:enabled').filter({ visible: true }).first();
  const hasFocus = (await focused.count()) > 0;
  if (hasFocus) await focused.focus();
  const element = hasFocus ? await focused.elementHandle() : null;
  const end = await beginOutage(page);
  // Second by second: an answer takes its time, and what waits for it sets its timer only then.
  const pass = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds; passed += 1) {
      await page.clock.runFor(1000);
      await page.waitForTimeout(40);
    }
  };
  await pass(OUTAGE_SECONDS);
  const during = await readPage(page);
  const told = (fault: string): number => faults.push(`${place.path} while the server is away: ${fault}`);
  if (during.characters < before.characters / 2) told(`${during.characters} characters where ${before.characters} were`);
  if (!during.navigation) told('the navigation is gone');
  await end();
  await pass(BACK_SECONDS);
  const after = await waitForPage(page, { path: before.path });
  faults.push(...findFaults(after, walk).map((fault) => `${place.path} after the server was away: ${fault}`));
  if (after.characters < before.characters / 2) told(`afterwards ${after.characters} characters where ${before.characters} were`);
  const keepsFocus = !element || (await element.evaluate((one) => (one as unknown) === document.activeElement));
  if (!keepsFocus) told('focus is elsewhere');
}

/** The whole crawl comes from one address, whose sign-ins are counted: a quick machine is told to wait, and does what the page says. */
const MOST_REFUSALS = 3;

async function signIn(walker: Walker): Promise<void> {
  const { page, walk } = walker;
  const pages = page.getByRole('navigation', { name: 'Pages' });
  const refusal = page.getByRole('heading', { name: 'Too many attempts.' });
  for (let refusals = 0; ; refusals += 1) {
    await page.getByLabel('E-mail').fill(emailOf(walk.person));
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: /sign in/i }).click();
    await pages.or(refusal).first().waitFor();
    if (!(await refusal.isVisible())) break;
    if (refusals === MOST_REFUSALS) throw new Error('The sign-in stays refused though the time that it named is over.');
    const seconds = Number(/Wait (\d+) s/.exec((await page.getByRole('main').textContent()) ?? '')?.[1]);
    await sleep((seconds + 1) * 1000);
    // Back to the form with the way on that it holds.
    await page.goBack();
  }
  walker.isSignedOut = false;
}

/** The page notices, by itself or when it is loaded anew, and is there again after the sign-in. */
async function expectSignIn(walker: Walker, path: string): Promise<void> {
  const { page, faults } = walker;
  await page.clock.runFor(15_000);
  await page.waitForTimeout(300);
  // The console may be on its way there just now: that ends a reload, and the page that it goes to is waited for below.
  if (!isAtSignIn(page))
    await page.reload().catch((error: unknown) => {
      if (!/Not attached to an active page|frame was detached|ERR_ABORTED/.test(String(error))) throw error;
    });
  await expectWhole(walker, path, 'the end of the session');
  if (walker.isSignedOut) faults.push(`${path}: no sign-in although the session is gone`);
}

/** Leaves the page, and begins what goes wrong on the last step out; gives the path where it ends. */
async function leave(walker: Walker, begin: () => Promise<void>): Promise<string> {
  const { page, walk, place } = walker;
  const here = landing(walk, place.path);
  const crumb = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').first();
  if (walk.wayOut !== 'forward') await begin();
  const back = { path: place.origin, by: 'Back', act: () => page.goBack() };
  if (walk.wayOut === 'Back') return await goTo(walker, back);
  if (walk.wayOut === 'reload') return await goTo(walker, { path: here, by: 'reload', act: () => page.reload() });
  if (walk.wayOut === 'forward') {
    await go(walker, back);
    await begin();
    return await goTo(walker, { path: here, by: 'forward', act: () => page.goForward() });
  }
  const hasCrumb = walk.wayOut === 'breadcrumb' && (await crumb.count()) > 0;
  const others = page.getByRole('navigation', { name: 'Pages' }).locator('a:not([aria-current=page])');
  const link = hasCrumb ? crumb : others.nth(Math.min(walk.width === 390 ? 0 : 2, (await others.count()) - 1));
  const path = new URL((await link.getAttribute('href')) ?? '/', page.url()).pathname;
  return await goTo(walker, { path, by: hasCrumb ? 'breadcrumb' : 'navigation', act: () => link.click() });
}

async function goTo(walker: Walker, step: { path: string; by: string; act: () => Promise<unknown> }): Promise<string> {
  await go(walker, step);
  return step.path;
}

/** Walks once in a browser window of its own; gives what was wrong on the way, in the order it was met. */
export async function walkPage(
  browser: Browser,
  { demo, walk, place }: { demo: Demo; walk: Walk; place: Place },
): Promise<string[]> {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    storageState: demo.people[walk.person],
    timezoneId: walk.zone,
    viewport: { width: walk.width, height: walk.width < 600 ? 844 : 1200 },
    locale: 'en-GB',
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`));
  page.on('console', (line) => {
    const text = line.text();
    const isKnown = OF_TROUBLE[walk.trouble].test(text) || isRefusal(walk, text);
    if (line.type() === 'error' && !isKnown) faults.push(`console: ${text.slice(0, 300)}`);
  });
  const walker = {
    page,
    walk,
    place,
    url: demo.url,
    faults,
    sizes: new Map<string, number>(),
    isSignedOut: false,
    left: landing(walk, place.path),
  };
  try {
    if (walk.trouble === 'unavailable' || walk.trouble === 'session expired') await page.clock.install();
    await enter(walker);
    if (walk.trouble === 'unavailable') await sitOutage(walker);
    if (walk.trouble === 'chunk gone' && walk.wayIn === 'address') await loseChunks(page);
    const path = await leave(walker, async () => {
      if (walk.trouble !== 'session expired') return;
      await expireSession(page);
      walker.isSignedOut = true;
    });
    if (walker.isSignedOut) await expectSignIn(walker, path);
  } catch (error) {
    faults.push(error instanceof Error ? error.message.slice(0, 500) : String(error));
  } finally {
    await context.close();
  }
  return faults;
}
