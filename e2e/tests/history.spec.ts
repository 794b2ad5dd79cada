import { expect, type Page, test } from '@playwright/test';
import { readRoutes } from '../crawl/routes.ts';
import { running } from '../stack/running.ts';
import { sendTelemetry } from '../stack/send-telemetry.ts';

const { url } = running();
const SERVICE = 'stockroom';
const STRIP = /^Verdicts, last/;

/** The pages that the navigation lists, by its own links, in its order; the fleet last, for the others are left for it. */
async function listPages(page: Page): Promise<{ path: string; name: string }[]> {
  const listed = (await readRoutes(page)).filter(({ isListed }) => isListed).map(({ path }) => path);
  // Pages that need a permission come once it is known who is signed in.
  await expect(navigation(page).getByRole('link')).toHaveCount(listed.length);
  const links = await navigation(page).getByRole('link').all();
  const pages = await Promise.all(
    links.map(async (link) => ({
      path: (await link.getAttribute('href')) ?? '',
      name: (await link.getAttribute('title')) ?? '',
    })),
  );
  expect(pages.map(({ path }) => path).sort()).toEqual(listed.sort());
  return [...pages.filter(({ path }) => path !== '/fleet'), ...pages.filter(({ path }) => path === '/fleet')];
}

const action = (page: Page) => page.getByRole('combobox', { name: 'Action' });
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
const range = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Last|:\d\d to / });

/** The page at this path stands whole in its shell. */
async function expectPage(page: Page, path: string | RegExp): Promise<void> {
  await expect(page).toHaveURL(typeof path === 'string' ? (at) => at.pathname === path : path);
  await expect(navigation(page)).toBeVisible();
  await expect(page.locator('main').getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('This page broke')).toHaveCount(0);
}

async function openDevice(page: Page): Promise<void> {
  await page.goto(`${url}/fleet`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await expect(page.getByRole('heading', { name: STRIP })).toBeVisible();
}

async function chooseRange(page: Page, name: string): Promise<void> {
  await range(page).click();
  await page.getByRole('list', { name: 'Time shown' }).getByRole('button', { name }).click();
}

/** Each act changes what is shown and its address; Back then takes them back one by one, and forward brings them again. */
async function expectSteps(page: Page, acts: readonly (() => Promise<unknown>)[]): Promise<void> {
  const addresses = [page.url()];
  for (const act of acts) {
    await act();
    await expect(page).not.toHaveURL(addresses.at(-1) ?? '');
    addresses.push(page.url());
  }
  for (const address of addresses.slice(0, -1).reverse()) {
    await page.goBack();
    await expect(page).toHaveURL(address);
  }
  for (const address of addresses.slice(1)) {
    await page.goForward();
    await expect(page).toHaveURL(address);
  }
  await expectPage(page, new URL(page.url()).pathname);
}

test('a device page is left by Back, by its breadcrumb and by every link of the navigation', async ({ page }) => {
  await openDevice(page);
  await page.goBack();
  await expectPage(page, '/fleet');
  await page.goForward();
  await expect(page.getByRole('heading', { name: STRIP })).toBeVisible();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Fleet' }).click();
  await expectPage(page, '/fleet');
  const pages = await listPages(page);
  // Once by its own way; then it is left again from where Back came to.
  await openDevice(page);
  for (const { path, name } of pages) {
    await navigation(page).getByTitle(name, { exact: true }).click();
    await expectPage(page, path);
    await page.goBack();
    await expectPage(page, /\/fleet\/[0-9a-f-]{36}/);
    await expect(page.getByRole('heading', { name: STRIP })).toBeVisible();
  }
});

test('every page is entered by the navigation, left by Back and entered again by forward', async ({ page }) => {
  await page.goto(`${url}/settings`);
  const pages = await listPages(page);
  for (const { path, name } of pages) {
    await navigation(page).getByTitle(name, { exact: true }).click();
    await expectPage(page, path);
  }
  for (const { path } of [...pages].reverse().slice(1)) {
    await page.goBack();
    await expectPage(page, path);
  }
  for (const { path } of pages.slice(1)) {
    await page.goForward();
    await expectPage(page, path);
  }
});

test.describe('each change of what is shown is one step back', () => {
  test('fleet', async ({ page }) => {
    await page.goto(`${url}/fleet`);
    await expect(page.getByRole('row').nth(1)).toBeVisible();
    await expectSteps(page, [
      () => page.getByRole('button', { name: /^Healthy/ }).click(),
      () => page.getByRole('button', { name: 'Remove filter Health' }).click(),
      () => page.getByRole('columnheader', { name: /^Site/ }).getByRole('button').click(),
      () => page.getByLabel('Rows per page').selectOption('25'),
    ]);
  });

  test('device', async ({ page }) => {
    await openDevice(page);
    await expectSteps(page, [
      () => chooseRange(page, 'Last 6 hours'),
      () => chooseRange(page, 'Last hour'),
      () => chooseRange(page, 'Last 7 days'),
      () => page.getByRole('slider', { name: 'Shown from' }).press('ArrowRight'),
    ]);
  });

  test('logs', async ({ page }) => {
    await page.goto(`${url}/logs`);
    await expectSteps(page, [
      () => page.getByLabel('Level').selectOption('warn'),
      () => chooseRange(page, 'Last 6 hours'),
      () => page.getByRole('button', { name: 'Follow live' }).click(),
    ]);
  });

  test('audit', async ({ page }) => {
    await page.goto(`${url}/audit`);
    await expectSteps(page, [
      () => page.getByLabel('From').fill('2026-01-01'),
      async () => {
        await action(page).fill('API token cr');
        await page.getByRole('option', { name: 'API token created' }).click();
      },
    ]);
    await expect(action(page)).toHaveValue('API token created');
    await page.goBack();
    await expect(action(page)).toHaveValue('');
  });

  test('map', async ({ page }) => {
    await page.goto(`${url}/topology`);
    await expectSteps(page, [() => chooseRange(page, 'Last hour'), () => chooseRange(page, 'Last 24 hours')]);
  });

  test('traces and metrics', async ({ page }) => {
    await sendTelemetry(page, { url, service: SERVICE });
    await page.goto(`${url}/traces?service=${SERVICE}`);
    await expectSteps(page, [
      () => page.getByRole('button', { name: 'Spans', exact: true }).click(),
      () => page.getByRole('button', { name: 'Slowest' }).click(),
      () => chooseRange(page, 'Last 15 minutes'),
    ]);
    await page.goto(`${url}/metric-explorer?metric=${SERVICE}_level`);
    await expectSteps(page, [
      () => page.getByRole('button', { name: 'Most', exact: true }).click(),
      () => page.getByRole('button', { name: 'group' }).first().click(),
      () => chooseRange(page, 'Last 6 hours'),
    ]);
  });
});

test('typing makes no step', async ({ page }) => {
  await page.goto(`${url}/fleet`);
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  const steps = await page.evaluate<number>('history.length');
  const search = page.getByRole('searchbox', { name: /device/i });
  for (const text of ['n', 'no', 'no such device']) {
    await search.fill(text);
    await expect(page).toHaveURL((at) => at.searchParams.get('search') === text);
  }
  expect(await page.evaluate<number>('history.length')).toBe(steps);
});

test('the range goes along to every page that has one, and a window of its own as well', async ({ page }) => {
  await page.goto(`${url}/logs`);
  await chooseRange(page, 'Last 7 days');
  for (const link of ['Traces', 'Service map', 'Metrics', 'Logs']) {
    await navigation(page).getByRole('link', { name: link }).click();
    await expect(page).toHaveURL((at) => at.searchParams.get('range') === '7d');
    await expect(range(page)).toHaveText('Last 7 days');
  }
  await range(page).click();
  await page.getByLabel('From', { exact: true }).fill('2026-01-02T10:00');
  await page.getByLabel('To', { exact: true }).fill('2026-01-02T09:00');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText('The end must be after the start.')).toBeVisible();
  await page.getByLabel('To', { exact: true }).fill('2026-01-02T11:00');
  await page.getByRole('button', { name: 'Apply' }).click();
  await navigation(page).getByRole('link', { name: 'Traces' }).click();
  await expect(page).toHaveURL((at) => at.searchParams.get('from') === '2026-01-02T10:00:00Z');
});

test.describe('an address that its page does not know is said, not broken by', () => {
  const UNKNOWN = [
    ['/fleet', ['verdict=bogus', 'sort=password', 'page=-3', 'contact_within_minutes=1.5', 'wifi_rssi_below=loud', 'size=7']],
    ['/logs', ['range=99d', 'level=loud', 'attribute==x', 'trace=xyz', 'live=maybe', 'from=yesterday']],
    ['/traces', ['range=toString', 'status=bad', 'kind=odd', 'min_ms=-1', 'attribute=!', 'sort=x', 'view=y']],
    ['/metric-explorer', ['range=99d', 'fn=toString', 'q=2', 'agg=median', 'match=nothing']],
    ['/topology', ['range=99d', 'from=1', 'to=2']],
    ['/audit', ['action=DROP', 'from=2026-02-31', 'to=never']],
    ['/identity', ['tab=bogus']],
    ['/settings', ['tab=bogus']],
    ['/otlp', ['tab=bogus']],
  ] as const;
  for (const [path, values] of UNKNOWN) {
    test(path, async ({ page }) => {
      for (const value of values) {
        await page.goto(`${url}${path}?${value}`);
        const notice = page.getByRole('status').filter({ hasText: 'left out of the address' });
        await expect(notice).toContainText(value);
        await expect(navigation(page)).toBeVisible();
        await expect(page.locator('main').getByRole('alert')).toHaveCount(0);
        await expect(page).toHaveURL((at) => at.search === '');
        await notice.getByRole('button', { name: 'Dismiss' }).click();
        await expect(notice).toHaveCount(0);
      }
    });
  }

  test('a device', async ({ page }) => {
    await openDevice(page);
    const { pathname } = new URL(page.url());
    await page.goto(`${url}${pathname}?range=99d&from=2026-01-01&target=crm.example`);
    await expect(page.getByText('range=99d and from=2026-01-01 are not known here')).toBeVisible();
    await expect(page.getByRole('heading', { name: STRIP })).toBeVisible();
    await expect(page).toHaveURL((at) => at.search === '?target=crm.example');
    await navigation(page).getByRole('link', { name: 'Audit' }).click();
    await expectPage(page, '/audit');
    await expect(page.getByText('are not known here')).toHaveCount(0);
  });

  const NOTHING = [
    ['/fleet/not-an-id', 'There is no such device', 'Open the fleet'],
    ['/traces/xyz', 'Not found', 'Open Traces'],
  ] as const;
  for (const [path, title, wayOn] of NOTHING) {
    test(`an id of no known form: ${path}`, async ({ page }) => {
      await page.goto(`${url}${path}`);
      const alert = page.locator('main').getByRole('alert');
      await expect(alert.getByRole('heading', { name: title })).toBeVisible();
      await expect(alert).not.toContainText(/invalid|uuid|request|try again/i);
      await alert.getByRole('link', { name: wayOn }).click();
      await expect(page).toHaveURL((at) => at.pathname === `/${path.split('/')[1]}`);
    });
  }

  test('the id of a log record', async ({ page }) => {
    await sendTelemetry(page, { url, service: SERVICE });
    await page.goto(`${url}/logs?around=zzz`);
    const alert = page.locator('main').getByRole('alert');
    await expect(alert.getByRole('heading', { name: 'There is no such log record' })).toBeVisible();
    await expect(alert).not.toContainText(/unknown|request|try again/i);
    await alert.getByRole('button', { name: 'Show the lines without it' }).click();
    await expect(page).toHaveURL(`${url}/logs`);
    await expect(alert).toHaveCount(0);
  });

  test('the usual values are no fault', async ({ page }) => {
    await page.goto(`${url}/fleet?page=1&size=50`);
    await expect(page.getByRole('row').nth(1)).toBeVisible();
    await expect(page.getByText('left out of the address')).toHaveCount(0);
  });
});

test('an address that a page had before leads on with what it asked for', async ({ page }) => {
  await page.goto(`${url}/people?tab=tokens`);
  await expect(page).toHaveURL(`${url}/identity?tab=tokens`);
  await expect(page.getByRole('link', { name: 'API tokens' })).toHaveAttribute('aria-current', 'page');
  await page.goto(`${url}/map`);
  await expectPage(page, '/topology');
  await page.goto(`${url}/connectors`);
  await expectPage(page, '/otlp');
});

test('a page that breaks leaves shell and navigation whole', async ({ page }) => {
  await page.route('**/trpc/audit.list*', (route) => route.fulfill({ json: { result: { data: { items: [{}] } } } }));
  await page.goto(`${url}/audit`);
  await expect(page.getByText('This page broke')).toBeVisible();
  await navigation(page).getByRole('link', { name: 'Settings' }).click();
  await expectPage(page, '/settings');
  await page.unroute('**/trpc/audit.list*');
  await page.goBack();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(action(page)).toBeVisible();
});
