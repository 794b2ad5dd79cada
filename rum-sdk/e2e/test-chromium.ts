import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openTestSite, type TestSite } from './test-site.ts';

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
const playwrights = existsSync(chromium.executablePath());

/** Why there is no Chromium here. */
export const chromiumUnavailable = (): string | undefined => (program || playwrights ? undefined : 'no Chromium is installed');

interface Wish {
  /** Chromium as a program drives it, which says so to pages. */
  readonly asRobot?: boolean;
}

export const chromiumProgram = (): string => program ?? chromium.executablePath();

/** Of a Chromium that keeps to itself and does not say that a program drives it. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-blink-features=AutomationControlled',
];

/** As a person's Chromium: it has a back-forward cache and does not say that a program drives it. */
export const launchChromium = ({ asRobot = false }: Wish = {}): Promise<Browser> =>
  chromium.launch({
    ...(program ? { executablePath: program } : {}),
    headless: true,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
    args: asRobot ? CHROMIUM_ARGS.slice(0, -1) : CHROMIUM_ARGS,
  });

export interface Stage {
  /** Of one test: what a page of another one still sends finds nobody. */
  site: TestSite;
  context: BrowserContext;
  browser: Browser;
}

/** One Chromium for the tests of a file, for each a site and a profile of its own. */
export function useChromium(readScripts: () => Promise<Record<string, string>>): Stage {
  const stage = {} as Stage;
  let scripts: Record<string, string>;
  beforeAll(async () => {
    scripts = await readScripts();
    stage.browser = await launchChromium();
  });
  beforeEach(async () => {
    stage.site = await openTestSite(scripts);
    stage.context = await stage.browser.newContext();
  });
  afterEach(async () => {
    await stage.context.close();
    await stage.site.close();
  });
  afterAll(() => stage.browser?.close());
  return stage;
}

export const consent = (page: Page): Promise<void> => page.evaluate('svcRUM.consent()');
export const withdraw = (page: Page): Promise<void> => page.evaluate('svcRUM.withdraw()');

/** Two frames and a task: what was just done is painted and told to observers. */
export const settle = (page: Page): Promise<void> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))');

/** Goes to a page without the SDK and gives a beacon the time to arrive. */
export async function leave(page: Page, site: TestSite): Promise<void> {
  site.serve('/bye', { html: '<!doctype html><title>bye</title>bye' });
  await page.goto(`${site.origin}/bye`);
  await sleep(300);
}
