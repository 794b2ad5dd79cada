import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { ADMIN, running } from '../stack/running.ts';

const { url } = running();

const strip = (page: Page) => page.getByRole('status').filter({ hasText: /as of \d\d:\d\d; the server has not answered since/ });

/** Every answer of the API is a proxy's 503 until the returned function is called. */
async function loseServer(context: BrowserContext): Promise<() => Promise<void>> {
  await context.route('**/trpc/**', (route) =>
    route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>Unavailable</h1>' }),
  );
  return () => context.unroute('**/trpc/**');
}

/** Seconds of the clock that all pages of a context share, one by one: an answer takes its time, and what waits for it sets its timer only then. */
async function pass(context: BrowserContext, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    await context.clock.runFor(1000);
    await context.pages()[0]?.waitForTimeout(40);
  }
}

/** As many seconds of that clock as it takes until this is so for all pages, and not more than `most`. */
async function passUntil(context: BrowserContext, { most, isSo }: { most: number; isSo: (page: Page) => Promise<boolean> }) {
  for (let passed = 0; passed < most; passed += 1) {
    const all = await Promise.all(context.pages().map(isSo));
    if (all.every(Boolean)) return;
    await pass(context, 1);
  }
}

const STRIP = /^Verdicts, last/;

async function openDevice(page: Page): Promise<void> {
  await page.goto(`${url}/fleet`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await expect(page.getByRole('heading', { name: STRIP })).toBeVisible();
}

const PAGES = [
  {
    open: (page: Page) => page.goto(`${url}/fleet`),
    data: (page: Page) => page.getByRole('row').nth(1).getByRole('link').first(),
  },
  { open: openDevice, data: (page: Page) => page.getByRole('heading', { name: STRIP }) },
  {
    open: (page: Page) => page.goto(`${url}/logs`),
    data: (page: Page) => page.locator('main').getByRole('heading', { level: 1 }),
  },
] as const;

test('fleet, device and logs keep what they show while the server is away, say since when, and go on by themselves', async ({
  context,
}) => {
  await context.clock.install();
  const opened = PAGES.map(async ({ open, data }) => {
    const page = await context.newPage();
    await open(page);
    await expect(data(page)).toBeVisible();
    await expect(page.locator('main .ghost')).toHaveCount(0);
    return { page, shown: data(page), before: (await data(page).textContent()) ?? '' };
  });
  const pages = await Promise.all(opened);
  const back = await loseServer(context);
  await passUntil(context, { most: 30, isSo: (page) => strip(page).isVisible() });
  for (const { page } of pages) await expect(strip(page)).toBeVisible();
  // Longer than any window or poll of these pages takes to move on.
  await pass(context, 16);
  for (const { page, shown, before } of pages) {
    await expect(strip(page)).toBeVisible();
    await expect(page.getByText(/^Trying again (in \d\ss|now)\.$/)).toBeVisible();
    await expect(shown).toHaveText(before);
    await expect(page.locator('main').getByRole('alert')).toHaveCount(0);
  }
  await back();
  for (const { page, shown } of pages) {
    await expect(strip(page)).toHaveCount(0, { timeout: 8000 });
    await expect(page.getByRole('status').filter({ hasText: 'The server answers again.' })).toHaveCount(1);
    await expect(shown).toBeVisible();
  }
});

test('a page that is opened while the server is away says what to do, and fills when it is back', async ({ page, context }) => {
  const back = await loseServer(context);
  await page.goto(`${url}/fleet`);
  const fault = page.getByRole('alert').filter({ hasText: 'The server does not answer' });
  await expect(fault).toContainText('it fills automatically when the server answers');
  await expect(page.getByRole('button', { name: 'Try now' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await back();
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await expect(fault).toHaveCount(0);
});

test.describe('code of a page that is gone after an upgrade', () => {
  const CHUNK = /\/assets\/audit-page-[^/]*\.js$/;
  const follow = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Audit' }).click();
  const heading = (page: Page) => page.getByRole('heading', { name: 'Who did what' });

  /** Counts the times that the console is loaded anew from here on. */
  const countLoads = (page: Page): { loads: number } => {
    const count = { loads: 0 };
    page.on('load', () => {
      count.loads += 1;
    });
    return count;
  };

  test('is found by one reload at the address that was asked for', async ({ page }) => {
    await page.goto(`${url}/settings?tab=sessions`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const count = countLoads(page);
    // Gone for the console that runs, there for the one that is loaded next.
    await page.route(CHUNK, (route) => (count.loads === 0 ? route.fulfill({ status: 404, body: '' }) : route.continue()));
    page.once('load', () => void page.unroute(CHUNK));
    await follow(page);
    await expect(heading(page)).toBeVisible();
    await expect(page).toHaveURL(`${url}/audit`);
    expect(count.loads).toBe(1);
  });

  test('that stays gone is reloaded once, not for ever, and the rest of the console works', async ({ page }) => {
    await page.clock.install();
    await page.goto(`${url}/settings?tab=sessions`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const count = countLoads(page);
    await page.route(CHUNK, (route) => route.fulfill({ status: 404, body: '' }));
    await follow(page);
    await expect(page.getByRole('alert').filter({ hasText: 'This page could not be loaded' })).toBeVisible();
    await pass(page.context(), 7);
    expect(count.loads).toBe(1);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await follow(page);
    await page.unroute(CHUNK);
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect(heading(page)).toBeVisible();
  });

  test('is not reloaded into the error of the browser while the server is away', async ({ page }) => {
    await page.goto(`${url}/settings?tab=sessions`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const count = countLoads(page);
    await page.route(CHUNK, (route) => route.abort());
    await page.route(`${url}/`, (route) => route.fulfill({ status: 503, body: '' }));
    await follow(page);
    await expect(page.getByRole('alert').filter({ hasText: 'It loads automatically when the server answers' })).toBeVisible();
    expect(count.loads).toBe(0);
    await page.unroute(CHUNK);
    await page.unroute(`${url}/`);
    await expect(heading(page)).toBeVisible();
    expect(count.loads).toBe(1);
  });
});

test.describe('what is typed and not saved', () => {
  const limit = (page: Page) => page.getByLabel('Slow session from');
  const note = (page: Page) => page.getByRole('status').filter({ hasText: 'Restored what you had typed' });

  async function signIn(page: Page): Promise<void> {
    await expect(page.getByRole('button', { name: /sign in/i })).toBeVisible({ timeout: 30_000 });
    await page.getByLabel('E-mail').fill(ADMIN.email);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.getByRole('button', { name: /sign in/i }).click();
  }

  /** The session ends while somebody types: nothing is clicked, the next poll finds out. */
  const expire = (page: Page) => page.context().clearCookies();

  test('in settings is back after the session expired, at the same address, and can be discarded', async ({ page }) => {
    await page.goto(`${url}/settings`);
    const usual = await limit(page).inputValue();
    await limit(page).fill('1951');
    await expect(page.getByText('Not saved yet')).toBeVisible();
    await expire(page);
    await signIn(page);
    await expect(page).toHaveURL(`${url}/settings`);
    await expect(note(page)).toBeVisible();
    await expect(limit(page)).toHaveValue('1951');
    await note(page).getByRole('button', { name: 'Discard' }).click();
    await expect(limit(page)).toHaveValue(usual);
    await expect(note(page)).toHaveCount(0);
    await page.reload();
    await expect(limit(page)).toHaveValue(usual);
    await expect(note(page)).toHaveCount(0);
  });

  test('in a dialog is back after the session expired, with its dialog open; closing it ends it', async ({ page }) => {
    await page.goto(`${url}/identity`);
    await page
      .getByRole('button', { name: /invite/i })
      .first()
      .click();
    const email = page.getByRole('dialog').getByLabel(/E-mail/);
    await email.fill('new.person@example.test');
    await expire(page);
    await signIn(page);
    await expect(page).toHaveURL(`${url}/identity`);
    await expect(email).toHaveValue('new.person@example.test');
    await expect(note(page)).toBeVisible();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await expect(page.locator('main').getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test('survives leaving the page and coming back, and is over once it is saved', async ({ page }) => {
    await page.goto(`${url}/settings`);
    const usual = await limit(page).inputValue();
    await limit(page).fill('1952');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Audit' }).click();
    await expect(page.getByRole('heading', { name: 'Who did what' })).toBeVisible();
    await page.goBack();
    await expect(limit(page)).toHaveValue('1952');
    await expect(note(page)).toBeVisible();
    for (const value of ['1952', usual]) {
      await limit(page).fill(value);
      await page.getByRole('button', { name: 'Save and send to devices' }).click();
      await expect(page.getByText('Not saved yet')).toHaveCount(0);
      await expect(note(page)).toHaveCount(0);
    }
    await page.reload();
    await expect(limit(page)).toHaveValue(usual);
    await expect(note(page)).toHaveCount(0);
  });

  test.describe('by somebody who signs out', () => {
    // A session of its own: ending it must not end that of the other tests.
    test.use({ storageState: { cookies: [], origins: [] } });

    test('is gone', async ({ page }) => {
      await page.goto(`${url}/settings`);
      await signIn(page);
      const usual = await limit(page).inputValue();
      await limit(page).fill('1953');
      await expect(page.getByText('Not saved yet')).toBeVisible();
      await page.locator('button.acct').click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await expect(page.getByText('You are signed out.')).toBeVisible();
      expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain('svc.draft');
      await page.goto(`${url}/settings`);
      await signIn(page);
      await expect(limit(page)).toHaveValue(usual);
      await expect(note(page)).toHaveCount(0);
    });
  });
});
