import { expect, type Page, test } from '@playwright/test';
import { running } from '../stack/running.ts';

const { url } = running();

const measures = { calls: 6000, rate: 6.7, p50_ms: 12, p95_ms: 340 };
const node = (name: string, kind = 'service') => ({
  ...{ ...measures, id: `${kind}:${name}`, name, kind, errors: 0, error_ratio: 0, bytes_in: 0, bytes_out: 0 },
});
const edge = (source: string, target: string, errors = 0) => ({
  ...{ ...measures, source, target, kind: 'call', errors, error_ratio: errors / measures.calls, bytes: 0 },
});
const FRONTS = ['web', 'mobile', 'partners', 'kiosk', 'reports'];
const BACKS = ['cart', 'payment', 'stock', 'search', 'accounts'];
const nodes = [...[...FRONTS, ...BACKS, 'mail'].map((name) => node(name)), node('bank.example', 'host')];
/** Each front calls each back, so that labels have little room, and the bank fails. */
const edges = [
  ...FRONTS.flatMap((front, i) =>
    BACKS.map((back, j) => edge(`service:${front}`, `service:${back}`, back === 'payment' && i === 0 ? 700 : j === i ? 90 : 0)),
  ),
  edge('service:payment', 'host:bank.example', 1200),
  edge('service:accounts', 'service:mail'),
];

/** A map that no program must send first; the server's own shape. */
async function openMap(page: Page, search = ''): Promise<void> {
  await page.route('**/trpc/topology.map**', (route) => {
    const now = Date.now();
    const at = (ms: number): string => new Date(now + ms).toISOString();
    const data = { from: at(-900_000), to: at(0), computed_to: at(-60_000), spans: 9, gaps: [], nodes, edges };
    return route.fulfill({ json: { result: { data } } });
  });
  await page.goto(`${url}/topology${search}`);
  await expect(onMap(page, 'payment')).toBeVisible();
}

const onMap = (page: Page, name: string) => page.locator('.mapsvg').getByRole('button', { name: new RegExp(`^${name},`) });
const nodesOf = (page: Page) => page.locator('.mapsvg').getByRole('button');
const search = (page: Page) => page.getByRole('searchbox', { name: 'Find on the map' });
const rowsOf = (page: Page) => page.getByRole('region', { name: /^Connections/ }).getByRole('row');

test('the map names the deepest failing connection, which leaves the product', async ({ page }) => {
  await openMap(page);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('payment to bank.example fails 20');
});

test('no label on the map covers another or a node', async ({ page }) => {
  await openMap(page);
  const boxes = await page.locator('.mapedge text, .mapnode > rect:first-of-type').evaluateAll((found) =>
    found.map((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return { left, right, top, bottom, text: one.tagName === 'text' ? one.textContent : '' };
    }),
  );
  const labels = boxes.filter(({ text }) => text !== '');
  expect(labels.length).toBeGreaterThan(8);
  const covered = labels.flatMap((label) =>
    boxes
      .filter((other) => other !== label)
      // A line of text is higher than its letters.
      .filter(
        ({ left, right, top, bottom }) =>
          label.left < right && left < label.right && label.top < bottom - 3 && top < label.bottom - 3,
      )
      .map(({ text }) => `${label.text} on ${text || 'a node'}`),
  );
  expect(covered).toEqual([]);
  // What fails is labelled before what does not.
  expect(labels.filter(({ text }) => text?.includes('fail')).length).toBe(edges.filter(({ errors }) => errors > 0).length);
});

test('is narrowed by a part of a name and by what fails, in the address, and Back undoes it', async ({ page }) => {
  await openMap(page);
  const all = await nodesOf(page).count();
  expect(all).toBe(nodes.length);
  await page.keyboard.press('/');
  await search(page).pressSequentially('bank');
  await expect(nodesOf(page)).toHaveCount(2);
  await expect(page).toHaveURL(/find=bank/);
  await page.reload();
  await expect(nodesOf(page)).toHaveCount(2);
  await search(page).fill('');
  await expect(nodesOf(page)).toHaveCount(all);
  await page.getByRole('button', { name: 'Failing' }).click();
  await expect(page).toHaveURL(/only=failing/);
  await expect(onMap(page, 'mail')).toHaveCount(0);
  await expect(onMap(page, 'bank.example')).toBeVisible();
  await expect(rowsOf(page)).toHaveCount(1 + edges.filter(({ errors }) => errors > 0).length);
  await page.goBack();
  await expect(onMap(page, 'mail')).toBeVisible();
  await page.getByRole('button', { name: 'Failing' }).click();
  await search(page).fill('mail');
  await expect(page.getByText('Nothing failing on the map is named “mail”')).toBeVisible();
  await page.getByRole('button', { name: 'Show the whole map' }).click();
  await expect(nodesOf(page)).toHaveCount(all);
});

test('is made larger and smaller by buttons, keys and the wheel', async ({ page }) => {
  await openMap(page);
  const width = async (): Promise<number> => (await page.locator('.mapsvg').boundingBox())?.width ?? 0;
  const own = await width();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  expect(await width()).toBeCloseTo(own * 1.25, 0);
  await onMap(page, 'payment').focus();
  await page.keyboard.press('0');
  expect(await width()).toBeCloseTo(own, 0);
  await page.keyboard.press('-');
  expect(await width()).toBeCloseTo(own * 0.8, 0);
  await onMap(page, 'payment').hover();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await expect(async () => expect(await width()).toBeCloseTo(own, 0)).toPass();
  for (const _ of [1, 2, 3]) await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.getByRole('button', { name: 'Fit width' }).click();
  const room = await page.locator('.mapsvg').evaluate((map) => map.parentElement?.clientWidth ?? 0);
  expect(await width()).toBeLessThanOrEqual(Math.max(room, 1));
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
});
