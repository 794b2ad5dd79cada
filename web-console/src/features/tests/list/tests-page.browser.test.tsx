import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../../testing/fake-server.ts';
import { openPage } from '../../../testing/show.tsx';
import { builtInRunner, runner, stripBar, testList, testRow, testRun } from '../../../testing/test-examples.ts';

const MAY = ['agent.read', 'test.read', 'test.write'] as const;
const strip = (bars: Parameters<typeof stripBar>[1][]) =>
  bars.map((bar, hour) => stripBar((bars.length - hour) * 3_600_000, bar));
const checkout = testRow('Checkout API', {
  ...{ state: 'failing', since: '2026-11-24T14:03:00Z', last: testRun({ success: false, total_ms: 3240 }), availability: 0.981 },
  runners: [{ id: 'b', name: 'Berlin', state: 'failing' }],
  strip: strip([{}, { passed: 0, not_run: 60 }, { passed: 0, paused: true }, { failed: 14, passed: 46 }]),
});
const erp = testRow('erp', { state: 'not_running', not_running: 'no_runner_connected' });
const returns = testRow('Returns', { state: 'paused', in_maintenance: true });
const mail = testRow('mail', { certificate_days: 17 });
const all = testList([checkout, erp, returns, mail]);

const open = (list: Answers['tests.list'], more: Answers & { path?: string } = {}) => {
  const { path = '/tests', ...answers } = more;
  return openPage(path, {
    ...shellAnswers,
    'identity.me': me(MAY),
    'tests.list': list,
    'runners.list': { items: [builtInRunner(), runner('Berlin', { id: 'b' })] },
    ...answers,
  });
};
const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
const table = () => page.getByRole('table', { name: 'Tests' });
const headline = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const lastAsked = (server: Awaited<ReturnType<typeof open>>['server']) =>
  server
    .calls('tests.list')
    .filter(({ sort }) => sort !== undefined)
    .at(-1);

it.each(['light', 'dark'])('says what fails and what does not run, and is no barrier in the %s theme', async (theme) => {
  document.documentElement.dataset.theme = theme;
  await open(all);
  await expect
    .element(headline(/^1 of 4 tests fails: Checkout API, from Berlin since .+\. 1 does not run: no runner connected\.$/))
    .toBeVisible();
  await expect.element(page.getByText('1 passes. 1 is paused.')).toBeVisible();
  await expect.element(row('Checkout API').filter({ hasText: /98\.1.*3\.2\ss/ })).toBeVisible();
  await expect.element(row('erp').filter({ hasText: /no runner connected.*not run/ })).toBeVisible();
  await expect.element(row('Returns').getByText('In maintenance')).toBeInTheDocument();
  expect(await findBarriers()).toEqual([]);
  document.documentElement.dataset.theme = 'light';
});

it('draws a failed hour at full height in red, and one that was not run as a baseline that never is', async () => {
  await open(all);
  const image = row('Checkout API').getByRole('img', { name: 'Last 4 hours: 106 passed, 14 failed, 60 not run' });
  await expect.element(image).toBeVisible();
  const shape = (kind: string) => image.element().querySelector<SVGPathElement>(`.run-${kind}`);
  expect(shape('failed')?.getBBox().height).toBe(16);
  expect(shape('passed')?.getBBox().height).toBe(5);
  expect(shape('not_run')?.getBBox().height).toBe(1);
  const fillOf = (kind: string) => getComputedStyle(shape(kind) as Element).fill;
  expect(fillOf('failed')).not.toBe(fillOf('not_run'));
  expect(fillOf('paused')).toBe('none');
});

it.each([
  [60, 'med'],
  [14, 'soft'],
])('tells a certificate of 17 days from one of 89 where the tenant is warned %i days before', async (days, look) => {
  const settings = { failing_after: 3, not_running_intervals: 3, not_running_minutes: 5, certificate_critical_days: 7 };
  await open(all, { 'tests.settings.get': { ...settings, certificate_warning_days: days } });
  await expect.element(row('mail').getByText('17', { exact: true })).toHaveClass(look);
  await expect.element(row('erp').getByText('89', { exact: true })).toHaveClass('soft');
});

it('counts each state and shows one of them by its segment, in the address too', async () => {
  const { server, at } = await open(all);
  await page.getByRole('button', { name: 'Failing 1' }).click();
  await expect.element(page.getByRole('button', { name: 'Failing 1' })).toHaveAttribute('aria-pressed', 'true');
  expect(at()).toBe('/tests?state=failing');
  await expect.poll(() => lastAsked(server)?.state).toEqual(['failing']);
});

it('says how many of a larger choice it runs at once', async () => {
  const many = testList(Array.from({ length: 51 }, (_, number) => testRow(`Many ${number}`)));
  const { server } = await open(many, { 'tests.runNow': { run_id: 'x' } });
  await page.getByRole('checkbox', { name: 'Select every test on this page' }).click();
  await page.getByRole('button', { name: 'Run now' }).click();
  await expect.element(page.getByText('50 of 51 tests running now, the most at once')).toBeVisible();
  expect(server.calls('tests.runNow')).toHaveLength(50);
});

it('is walked by arrow keys; Space selects a row and Enter opens it', async () => {
  const { at } = await open(all);
  await expect.element(row('mail')).toBeVisible();
  (row('Checkout API').element() as HTMLElement).focus();
  await userEvent.keyboard('{ArrowDown}');
  await expect.element(row('erp')).toHaveFocus();
  await userEvent.keyboard(' ');
  await expect.element(row('erp')).toHaveAttribute('aria-selected', 'true');
  await userEvent.keyboard('k{Enter}');
  await expect.poll(at).toBe(`/tests/${checkout.test.id}`);
});

it('is sorted by the server, by several columns with Shift', async () => {
  const { server, at } = await open(all);
  await page.getByRole('button', { name: 'p95' }).click();
  await page.getByRole('button', { name: 'Cert days' }).click({ modifiers: ['Shift'] });
  await expect.poll(at).toBe('/tests?sort=-p95&sort=certificate');
  await expect
    .poll(() => lastAsked(server)?.sort)
    .toEqual([
      { by: 'p95', descending: true },
      { by: 'certificate', descending: false },
    ]);
  await expect.element(page.getByRole('columnheader', { name: 'p95 1' })).toHaveAttribute('aria-sort', 'descending');
});

it('filters by type, runner and label, and offers the CSV of just that', async () => {
  const { server, at } = await open(all);
  await page.getByRole('button', { name: 'Type' }).first().click();
  await page.getByRole('checkbox', { name: 'dns' }).click();
  await userEvent.keyboard('{Escape}');
  await page.getByRole('button', { name: 'Runs from' }).click();
  await page.getByRole('checkbox', { name: 'Berlin' }).click();
  await userEvent.keyboard('{Escape}');
  await page.getByRole('button', { name: 'Label', exact: true }).click();
  await page.getByRole('textbox', { name: 'Label' }).fill('team=shop');
  await userEvent.keyboard('{Enter}');
  await expect.poll(at).toBe('/tests?type=dns&runner=b&label=team%3Dshop');
  await expect.poll(() => lastAsked(server)).toMatchObject({ type: ['dns'], runner: ['b'], label: ['team=shop'] });
  const csv = page.getByRole('link', { name: 'CSV of all 4 rows' });
  await expect.element(csv).toHaveAttribute('href', '/v1/tests.csv?type=dns&runner=b&label=team%3Dshop&sort=state&sort=name');
  await page.getByRole('button', { name: 'Remove filter Type' }).click();
  await expect.poll(at).not.toContain('type=');
});

it('pages through what the server has', async () => {
  const { server, at } = await open(testList([checkout], { total: 120 }), { path: '/tests?size=25' });
  await expect.element(page.getByText('Page 1 of 5')).toBeVisible();
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect.poll(at).toContain('page=2');
  await expect.poll(() => lastAsked(server)).toMatchObject({ limit: 25, offset: 25 });
});

it('pauses, runs and deletes what is selected, and asks before it deletes', async () => {
  const { server } = await open(all, {
    'tests.setEnabled': { changed: 2 },
    'tests.runNow': { run_id: checkout.test.id },
    'tests.remove': { changed: 2 },
  });
  await page.getByRole('checkbox', { name: 'Select Checkout API' }).click();
  await page.getByRole('checkbox', { name: 'Select mail' }).click();
  const ids = [checkout.test.id, mail.test.id];
  await page.getByRole('button', { name: 'Pause' }).last().click();
  await expect.element(page.getByText('2 tests paused')).toBeVisible();
  expect(server.calls('tests.setEnabled')).toEqual([{ ids, enabled: false }]);
  await page.getByRole('button', { name: 'Run now' }).click();
  await expect.element(page.getByText('2 tests running now')).toBeVisible();
  await page.getByRole('button', { name: 'Delete' }).click();
  expect(server.calls('tests.remove')).toEqual([]);
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => server.calls('tests.remove')).toEqual([{ ids }]);
  await expect.element(page.getByText('2 selected')).not.toBeInTheDocument();
});

it('lets a reader without the right see everything and change nothing', async () => {
  await open(all, { 'identity.me': me(['agent.read', 'test.read']) });
  const create = page.getByRole('button', { name: 'New test' });
  await expect.element(create).toHaveAttribute('title', 'Your role cannot create and run tests.');
  await page.getByRole('checkbox', { name: 'Select mail' }).click();
  await expect.element(page.getByRole('button', { name: 'Delete' })).toHaveAttribute('aria-disabled', 'true');
});

it('keeps its shape while it loads', async () => {
  await open(WAITING);
  await expect.element(table()).toHaveAttribute('aria-busy', 'true');
  await expect.poll(() => table().element().querySelectorAll('tbody tr .ghost').length).toBeGreaterThan(0);
  expect(await findBarriers()).toEqual([]);
});

it('says which filters nothing passes, and clears them', async () => {
  const list: Answers['tests.list'] = (input) => (input.label ? testList([], { counts: all.counts }) : all);
  const { at } = await open(list, { path: '/tests?label=team%3Dshop' });
  await expect.element(page.getByRole('heading', { name: 'No test matches Label: team=shop' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await expect.element(row('mail')).toBeVisible();
  expect(at()).not.toContain('label=');
});

it('of a tenant without a test leads to the drawer, and to what nobody watches', async () => {
  const { at } = await open(testList([]));
  await expect.element(headline('No test yet: name a target.')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  await expect.element(page.getByRole('link', { name: 'Not watched yet' })).toBeVisible();
  await page.getByRole('button', { name: 'New test' }).click();
  await expect.element(page.getByRole('textbox', { name: 'Target' })).toHaveFocus();
  expect(at()).toBe('/tests?drawer=new');
});

it('says that it failed, keeps the filters, and shows the rows at the next try', async () => {
  const { server, at } = await open(new Refusal('conflict', 'The store is being moved.'), { path: '/tests?type=dns' });
  await expect
    .element(page.getByRole('alert').filter({ hasText: /The store is being moved\..+Your filters are kept\./ }))
    .toBeVisible();
  expect(await findBarriers()).toEqual([]);
  server.answer({ 'tests.list': all });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.element(row('mail')).toBeVisible();
  expect(at()).toContain('type=dns');
});

it('asks for nothing and names the permission where the reader has none', async () => {
  const { server } = await open(all, { 'identity.me': me(['agent.read']) });
  await expect.element(page.getByRole('heading', { name: 'No permission' })).toBeVisible();
  expect(server.calls('tests.list')).toEqual([]);
  expect(await findBarriers()).toEqual([]);
});
