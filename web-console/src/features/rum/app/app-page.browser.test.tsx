import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../../testing/fake-server.ts';
import { rumApp, rumApps, rumOverview, rumRow, waitingRow } from '../../../testing/rum-examples.ts';
import { openPage } from '../../../testing/show.tsx';

const app = rumApp('dealers');
const open = (more: Answers = {}, search = '') =>
  openPage(`/rum/dealers${search}`, {
    ...shellAnswers,
    'identity.me': me(['agent.read', 'rum.read', 'settings.write']),
    'rum.apps.list': rumApps([app]),
    'rum.overview': rumOverview([waitingRow('dealers')]),
    ...more,
  });
const headline = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const progress = page.getByRole('region', { name: 'Progress of the first beacon' });

it.each(['light', 'dark'])(
  'gives the lines to paste and waits for the first beacon, and is no barrier in the %s theme',
  async (theme) => {
    document.documentElement.dataset.theme = theme;
    await open();
    await expect.element(headline('Two lines left to paste: then dealers.example waits for its first visitor.')).toBeVisible();
    await expect.element(page.getByText(/data-key="app_dealers_5Yt2Qw"/)).toBeVisible();
    await expect.element(page.getByText(/svcRUM\.consent\(\)/)).toBeVisible();
    await expect.element(progress.filter({ hasText: /Waiting for the first beacon.*Script not fetched yet/ })).toBeVisible();
    expect(await findBarriers()).toEqual([]);
    document.documentElement.dataset.theme = 'light';
  },
);

it('does not call the script missing where beacons of a bundled one come in', async () => {
  const seen = { ...app, first_beacon_at: new Date().toISOString(), script_fetches: { count: 0, last_at: null } };
  await open({ 'rum.apps.list': rumApps([seen]) });
  await expect.element(page.getByText('Script served from elsewhere')).toBeVisible();
});

it('turns into data within seconds of the first beacon', async () => {
  const { server } = await open();
  await expect.element(progress.filter({ hasText: 'none yet for this key' })).toBeVisible();
  const seen = {
    ...app,
    first_beacon_at: new Date().toISOString(),
    script_fetches: { count: 3, last_at: new Date().toISOString() },
  };
  const row = rumRow('dealers', { state: 'too_few', sufficient: false, views: 1, host: 'dealers.example' });
  server.answer({ 'rum.apps.list': rumApps([seen]), 'rum.overview': rumOverview([row]) });
  await expect.element(headline('dealers is measured: beacons of visitors who agreed come in.')).toBeVisible();
  await expect.element(progress.filter({ hasText: /Script fetched 3 times/ })).toBeVisible();
  await expect
    .element(progress.getByRole('link', { name: 'dealers.example' }))
    .toHaveAttribute('href', '/rum/dealers/dealers.example');
});

it('names the beacon that was refused, and why', async () => {
  const last_refusal = {
    ...{ reason: 'invalid_field' as const, at: new Date().toISOString(), status: 400, field: 'user_id' },
    sentence: 'the field user_id is outside the schema. Remove it where the page adds it.',
  };
  await open({ 'rum.apps.list': rumApps([{ ...app, last_refusal }]) });
  await expect
    .element(progress.filter({ hasText: /A beacon was refused at .*: the field user_id is outside the schema/ }))
    .toBeVisible();
});

it('changes hosts and rate, gives a new key with an overlap, and removes once that is confirmed', async () => {
  const { server, at } = await open({
    'rum.apps.update': app,
    'rum.apps.rotate': app,
    'rum.apps.remove': () => undefined as never,
  });
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('textbox', { name: 'Hosts that may send (optional)' }).fill('dealers.example www.dealers.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(() => server.calls('rum.apps.update'))
    .toEqual([{ id: app.id, hosts: ['dealers.example', 'www.dealers.example'], rate_per_min: null }]);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('textbox', { name: 'The old key is taken for' }).fill('24');
  expect(await findBarriers()).toEqual([]);
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => server.calls('rum.apps.rotate')).toEqual([{ id: app.id, overlap_hours: 24 }]);
  await page.getByRole('button', { name: 'Remove' }).click();
  expect(server.calls('rum.apps.remove')).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect.poll(at).toBe('/rum');
  expect(server.calls('rum.apps.remove')).toEqual([{ id: app.id }]);
});

it('lets nobody change here what the configuration names', async () => {
  await open({ 'rum.apps.list': rumApps([{ ...app, source: 'configuration', created_by: null }]) });
  await expect
    .element(page.getByRole('button', { name: 'New key' }))
    .toHaveAttribute('title', 'This app is named in SVC_RUM_APPS and is changed there.');
});

it('knows no other app, keeps its shape while it loads, and says that it failed', async () => {
  const { server } = await open({ 'rum.apps.list': new Refusal('conflict', 'The store is being moved.') });
  await expect.element(page.getByRole('alert').filter({ hasText: /The store is being moved/ })).toBeVisible();
  server.answer({ 'rum.apps.list': rumApps([]) });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.element(page.getByRole('heading', { name: 'There is no such app' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('shows a skeleton until the apps are there', async () => {
  await open({ 'rum.apps.list': WAITING });
  await expect.element(headline('App, loading')).toBeInTheDocument();
  expect(await findBarriers()).toEqual([]);
});
