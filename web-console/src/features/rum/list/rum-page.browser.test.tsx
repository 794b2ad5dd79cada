import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../../testing/fake-server.ts';
import { hurtHost, rejects, rumApp, rumApps, rumOverview, rumRow, waitingRow } from '../../../testing/rum-examples.ts';
import { openPage } from '../../../testing/show.tsx';

const hurt = hurtHost().row;
const few = rumRow('careers', {
  ...{ state: 'too_few', sufficient: false, views: 9, error_rate: null, p75: {}, tests: { runs: 3, failed: 0 } },
});
const rows = [hurt, rumRow('portal'), few, waitingRow('dealers')];
const overview = rumOverview(rows, {
  rejects: rejects({
    missing_share: 0.12,
    unknown_to_installation: 3,
    items: rejects().items.map((item) =>
      item.reason === 'invalid_field'
        ? { ...item, app: 'portal', count: 41, last_at: new Date().toISOString(), fields: [{ field: 'user_id', count: 41 }] }
        : item,
    ),
  }),
});
const open = (more: Answers = {}, search = '') =>
  openPage(`/rum${search}`, {
    ...shellAnswers,
    'identity.me': me(['agent.read', 'rum.read', 'settings.write']),
    'rum.overview': overview,
    ...more,
  });
const headline = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
const says = (name: string, hasText: RegExp) => expect.element(row(name).filter({ hasText })).toBeVisible();

it.each(['light', 'dark'])(
  'says who is hurt first and proves it by a row each, and is no barrier in the %s theme',
  async (theme) => {
    document.documentElement.dataset.theme = theme;
    await open();
    await expect.element(headline(/^Users of shop\.example hurt since .*: p75 LCP 5\.2 s over 412 views/)).toBeVisible();
    await says('shop', /Users hurt, tests confirm it.*Incident 94.*412.*430.*3\.4.*5\.2\ss.*38 of 46/);
    await says('portal', /Healthy.*0 of 30/);
    await says('careers', /Too few views: 9 of 20.*too few.*too few/);
    await says('dealers', /any host.*Waiting for the first beacon.*none.*no test/);
    expect(await findBarriers()).toEqual([]);
    document.documentElement.dataset.theme = 'light';
  },
);

it('says which beacons were refused, what that means and what to do, and what share is missing', async () => {
  await open();
  const card = page.getByRole('region', { name: 'Not seen, and refused' });
  await expect.element(card.filter({ hasText: /No beacons is no proof of health.*Who did not consent/ })).toBeVisible();
  expect(card.element().textContent?.match(/no proof of health/g)).toHaveLength(1);
  await expect.element(card.filter({ hasText: /12% of what was sent is missing/ })).toBeVisible();
  await expect
    .element(
      card.getByRole('row').filter({ hasText: /^41Field outside the schema.*user_id.*portalWhat to do about invalid_field/ }),
    )
    .toBeVisible();
  await expect.element(card.filter({ hasText: /3 more came with a key that nobody here ever had/ })).toBeVisible();
});

it('filters, searches and sorts by the address', async () => {
  const { server, at } = await open();
  await page.getByRole('button', { name: /^Users hurt/ }).click();
  await expect.poll(at).toContain('show=hurt');
  await expect
    .poll(() => server.calls('rum.overview').at(-1))
    .toMatchObject({ verdict: ['user_impact_confirmed', 'user_only_synthetic_blind'], sort: 'verdict' });
  await page.getByRole('button', { name: 'Views' }).click();
  await expect.poll(at).toContain('sort=-views');
  await expect.poll(() => server.calls('rum.overview').at(-1)).toMatchObject({ sort: 'views', descending: true });
  await page.getByRole('button', { name: 'Views' }).click();
  await expect.poll(at).toContain('sort=views');
  await page.getByRole('searchbox', { name: 'Search apps and hosts' }).fill('shop');
  await expect.poll(at).toContain('search=shop');
});

it('leads from a row to the host, and to the app that still waits', async () => {
  const { at } = await open({ 'rum.host': WAITING, 'rum.apps.list': WAITING });
  const first = page.getByRole('link', { name: 'shop', exact: true });
  await expect.element(first).toBeVisible();
  (first.element() as HTMLElement).focus();
  await userEvent.keyboard('{ArrowDown}');
  await expect.element(page.getByRole('link', { name: 'portal.example' })).toHaveFocus();
  await page.getByRole('link', { name: 'shop.example' }).click();
  await expect.poll(at).toBe('/rum/shop/shop.example');
});

it('with everything filtered out says so and clears it', async () => {
  const { at } = await open({ 'rum.overview': { ...overview, verdicts: [], total: 0 } }, '?show=tests&search=x');
  await expect.element(page.getByRole('heading', { name: 'No app or host matches' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear 2 filters' }).click();
  await expect.poll(at).toBe('/rum');
});

it('without an app says what one is, and registers one', async () => {
  const shop = rumApp('shop');
  const { server, at } = await open({
    'rum.overview': rumOverview([], { surface: 'no_app', surface_sentence: 'No app is registered yet.' }),
    'rum.apps.create': shop,
    'rum.apps.list': rumApps([shop]),
  });
  await expect.element(headline('No app yet: name the site that your people use.')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('button', { name: 'Register an app' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Shop');
  await expect.element(page.getByText(/Lower-case letters, digits/)).toBeVisible();
  await page.getByRole('textbox', { name: 'Name' }).fill('shop');
  await page.getByRole('textbox', { name: 'Hosts that may send (optional)' }).fill('shop.example, https://www.shop.example');
  await expect.element(page.getByText(/https:\/\/www\.shop\.example is not a host name/)).toBeVisible();
  await page.getByRole('textbox', { name: 'Hosts that may send (optional)' }).fill('shop.example\n*.shop.example');
  await page.getByRole('textbox', { name: 'Beacons per minute (optional)' }).fill('600');
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await expect.poll(at).toBe('/rum/shop');
  const asked = { name: 'shop', hosts: ['shop.example', '*.shop.example'], rate_per_min: 600 };
  expect(server.calls('rum.apps.create')).toEqual([asked]);
});

it('where beacons are not taken says why and what to do', async () => {
  await open({ 'rum.overview': { ...overview, surface: 'shut', surface_sentence: 'Switched off: set SVC_RUM_ENABLED.' } });
  await expect.element(page.getByText('Switched off: set SVC_RUM_ENABLED.')).toBeVisible();
});

it('keeps its shape while it loads, and says that it failed', async () => {
  const { server } = await open({ 'rum.overview': WAITING });
  await expect.element(headline('Real users, loading')).toBeInTheDocument();
  expect(await findBarriers()).toEqual([]);
  server.answer({ 'rum.overview': new Refusal('conflict', 'The store is being moved.') });
});

it('says that it could not be read, and shows the rows at the next try', async () => {
  const { server } = await open({ 'rum.overview': new Refusal('conflict', 'The store is being moved.') });
  await expect.element(page.getByRole('alert').filter({ hasText: /The store is being moved/ })).toBeVisible();
  server.answer({ 'rum.overview': overview });
  await page.getByRole('button', { name: 'Try again' }).click();
  await says('shop', /412/);
});

it('of a reader who may change nothing says who may, and asks for nothing where the reader has no permission', async () => {
  await open({ 'identity.me': me(['agent.read', 'rum.read']) });
  await expect
    .element(page.getByRole('button', { name: 'Register an app' }))
    .toHaveAttribute('title', 'Your role cannot change what is measured.');
});

it('shows nothing to somebody who may not read it', async () => {
  const { server } = await open({ 'identity.me': me(['agent.read']) });
  await expect.element(page.getByRole('heading', { name: 'No permission' })).toBeVisible();
  expect(server.calls('rum.overview')).toEqual([]);
});
