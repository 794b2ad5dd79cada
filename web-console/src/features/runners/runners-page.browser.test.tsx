import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { type Answers, Refusal, SILENCE, WAITING } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';
import { builtInRunner, runner, runnerToken } from '../../testing/test-examples.ts';

const MAY = ['agent.read', 'agent.write', 'test.read'] as const;
const silent = { connected: false, connected_since: null, cpu_ratio: null, rss_bytes: null, spool_results: null };
const toulouse = runner('Toulouse', { ...silent, contact_at: new Date(Date.now() - 51 * 60_000).toISOString() });
const all = [
  builtInRunner({ lacks: { icmp: 'no_icmp', browser: 'no_sandbox' } }),
  runner('Berlin', { labels: { region: 'eu' } }),
  toulouse,
];

const open = (list: Answers['runners.list'], more: Answers = {}) =>
  openPage('/runners', {
    ...shellAnswers,
    'identity.me': me(MAY),
    'runners.list': list,
    'runners.listTokens': { items: [] },
    ...more,
  });
const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
const says = (name: string, hasText: RegExp) => expect.element(row(name).filter({ hasText })).toBeVisible();
const headline = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });

it('says who is silent, since when, and what each cannot run and why', async () => {
  await open({ items: all });
  await expect.element(headline('Toulouse has no contact.')).toBeVisible();
  await expect.element(page.getByText('3 tests wait for it; none is counted as failed.')).toBeVisible();
  await says('Toulouse', /no contact for 51\smin.*not measured/);
  await says('Built in', /icmp its user may not send ICMP.*browser no sandbox is possible/);
  await says('Berlin', /runs every type.*region=eu/);
  expect(await findBarriers()).toEqual([]);
});

it.each(['light', 'dark'])('is no barrier in the %s theme', async (theme) => {
  document.documentElement.dataset.theme = theme;
  await open({ items: all });
  await expect.element(row('Berlin')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  document.documentElement.dataset.theme = 'light';
});

it('leads from a runner to the tests on it', async () => {
  await open({ items: all });
  await expect.element(page.getByRole('link', { name: 'Berlin' })).toHaveAttribute('href', `/tests?runner=${all[1]?.id}`);
});

it('of the built-in runner alone says what one elsewhere is good for', async () => {
  await open({ items: [builtInRunner()] });
  await expect.element(headline('One runner, inside of this server.')).toBeVisible();
  await expect.element(page.getByText(/shows whether the rest of the network does/)).toBeVisible();
  await expect.element(page.getByRole('button', { name: /^Remove/ })).not.toBeInTheDocument();
});

it('creates a token and shows the commands once', async () => {
  const made = {
    token: 'svc_rnr_x',
    command: 'svc canary enroll --token svc_rnr_x\nsvc canary run',
    runner_token: runnerToken(),
  };
  const { server } = await open({ items: all }, { 'runners.createToken': made });
  await page.getByRole('button', { name: 'Add a runner' }).click();
  await page.getByRole('textbox', { name: 'Name (optional)' }).fill('Porto');
  await page.getByRole('textbox', { name: 'Labels (optional)' }).fill('region=eu, wired');
  expect(await findBarriers()).toEqual([]);
  await userEvent.keyboard('{Enter}');
  const shown = page.getByRole('dialog', { name: 'Run these commands on the machine' });
  await expect.element(shown.filter({ hasText: 'svc canary enroll --token svc_rnr_x' })).toBeVisible();
  const asked = { name: 'Porto', labels: { region: 'eu', wired: '' }, expires_in_hours: 24 };
  expect(server.calls('runners.createToken')).toEqual([asked]);
  expect(await findBarriers()).toEqual([]);
});

it('revokes a token that nobody used yet', async () => {
  const token = runnerToken({ name: 'Porto' });
  const { server } = await open(
    { items: all },
    { 'runners.listTokens': { items: [token] }, 'runners.revokeToken': { changed: 1 } },
  );
  await row('Porto').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect.poll(() => server.calls('runners.revokeToken')).toEqual([{ id: token.id }]);
});

it('changes what a runner is called, and takes its site away', async () => {
  const { server } = await open({ items: all }, { 'runners.update': { changed: 1 } });
  await page.getByRole('button', { name: 'Change Toulouse' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Toulouse 2');
  await page.getByRole('textbox', { name: 'Site (optional)' }).fill('');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
  expect(server.calls('runners.update')).toEqual([{ id: toulouse.id, name: 'Toulouse 2', site: null, labels: {} }]);
});

it('asks before a runner is removed, and says why it was not', async () => {
  const { server } = await open({ items: all }, { 'runners.remove': new Refusal('conflict', 'A run is under way.') });
  await page.getByRole('button', { name: 'Remove Toulouse' }).click();
  expect(server.calls('runners.remove')).toEqual([]);
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect.element(page.getByRole('alert').filter({ hasText: 'A run is under way.' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('keeps its shape while it loads', async () => {
  await open(WAITING);
  await expect.element(page.getByRole('table')).toHaveAttribute('aria-busy', 'true');
  expect(await findBarriers()).toEqual([]);
});

it('says that it failed, and shows the runners at the next try', async () => {
  const { server } = await open(new Refusal('conflict', 'The store is being moved.'));
  await expect.element(page.getByRole('alert').filter({ hasText: /The store is being moved/ })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  server.answer({ 'runners.list': { items: all } });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.element(row('Berlin')).toBeVisible();
});

it('of a reader who may change nothing hides the tokens and says who may', async () => {
  const { server } = await open({ items: all }, { 'identity.me': me(['agent.read']) });
  await expect.element(row('Berlin')).toBeVisible();
  await expect
    .element(page.getByRole('button', { name: 'Add a runner' }))
    .toHaveAttribute('title', 'Your role cannot enrol, change and retire devices.');
  expect(server.calls('runners.listTokens')).toEqual([]);
});

it('asks for nothing where the reader has no permission', async () => {
  const { server } = await open(SILENCE, { 'identity.me': me([]) });
  await expect.element(page.getByRole('heading', { name: 'No permission' })).toBeVisible();
  expect(server.calls('runners.list')).toEqual([]);
});
