import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { device, devicePage, fleetSummary, me, noViews, shellAnswers } from '../../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../../testing/fake-server.ts';
import { openPage } from '../../../testing/show.tsx';

const ana = device('ana-laptop', { owner: 'ana@example.com', verdict: 'wifi' });
const bo = device('bo-desktop');
const open = (list: Answers['endpoint.list'], more: Answers & { path?: string } = {}) => {
  const { path = '/fleet', ...answers } = more;
  return openPage(path, { ...shellAnswers, 'savedViews.list': noViews, 'endpoint.list': list, ...answers });
};
const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
const table = () => page.getByRole('table', { name: 'Devices' });

it('has one row a device and is no barrier', async () => {
  await open(devicePage([ana, bo]));
  await expect.element(row('ana-laptop')).toBeVisible();
  await expect.element(row('bo-desktop')).toBeVisible();
  await expect.element(table()).toHaveAttribute('aria-busy', 'false');
  expect(await findBarriers()).toEqual([]);
});

it('is walked by arrow keys; Space selects a row and Enter opens it', async () => {
  const { at } = await open(devicePage([ana, bo]));
  await expect.element(row('bo-desktop')).toBeVisible();
  (row('ana-laptop').element() as HTMLElement).focus();
  await userEvent.keyboard('{ArrowDown}');
  await expect.element(row('bo-desktop')).toHaveFocus();
  await userEvent.keyboard(' ');
  await expect.element(row('bo-desktop')).toHaveAttribute('aria-selected', 'true');
  await expect.element(page.getByRole('checkbox', { name: 'Select every device on this page' })).toBePartiallyChecked();
  await userEvent.keyboard('k');
  await expect.element(row('ana-laptop')).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  await expect.poll(at).toContain(`/fleet/${ana.id}`);
});

it('is sorted by the server, and the address, the column and the question say how', async () => {
  const { server, at } = await open(devicePage([ana, bo]));
  const head = page.getByRole('columnheader', { name: 'Gateway ms' });
  await head.getByRole('button').click();
  await expect.element(head).toHaveAttribute('aria-sort', 'descending');
  await expect.poll(at).toContain('sort=-gateway_rtt_ms');
  await expect.poll(() => server.calls('endpoint.list').at(-1)?.sort).toEqual([{ column: 'gateway_rtt_ms', desc: true }]);
});

it('keeps its shape while it loads', async () => {
  await open(WAITING);
  await expect.element(table()).toHaveAttribute('aria-busy', 'true');
  await expect.poll(() => table().element().querySelectorAll('tbody tr .ghost').length).toBeGreaterThan(0);
  expect(await findBarriers()).toEqual([]);
});

it('says which filters nothing passes, and clears them', async () => {
  const list: Answers['endpoint.list'] = (input) => (input.filter?.site ? devicePage([], { total: 2 }) : devicePage([ana, bo]));
  const { at } = await open(list, { path: '/fleet?site=Porto' });
  await expect.element(page.getByRole('heading', { name: /^No device matches/ })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await expect.element(row('ana-laptop')).toBeVisible();
  expect(at()).not.toContain('site=');
});

it('of a tenant without a device says how to enrol one, to whoever may', async () => {
  const firstRun = { chosen: true, devices: 0, devices_reporting: 0, trace_targets: [], session_targets: [], pick_list: [] };
  const none: Answers = { 'endpoint.summary': fleetSummary({ total: 0 }), 'fleet.firstRun': firstRun as never };
  await open(devicePage([], { total: 0 }), none);
  await expect.element(page.getByRole('heading', { level: 1, name: 'No device yet: enrol the first one.' })).toBeVisible();
  await expect.element(page.getByText(/Your role cannot enrol devices/)).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('does not take a collector that is not running for an empty fleet', async () => {
  await open(devicePage([], { total: 0 }), { 'endpoint.summary': fleetSummary({ total: 0, collector_running: false }) });
  await expect.element(page.getByRole('heading', { name: 'Not wired' })).toBeVisible();
});

it('says that it failed, keeps the filters, and shows the rows at the next try', async () => {
  const { server, at } = await open(new Refusal('conflict', 'The store is being moved.'), { path: '/fleet?site=Porto' });
  const alert = page.getByRole('alert').filter({ hasText: /The store is being moved\..+Your filters are kept\./ });
  await expect.element(alert).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  server.answer({ 'endpoint.list': devicePage([ana]) });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.element(row('ana-laptop')).toBeVisible();
  expect(at()).toContain('site=Porto');
});

it('asks for nothing and names the permission where the reader has none', async () => {
  const { server } = await open(devicePage([ana]), { 'identity.me': me([]) });
  await expect.element(page.getByRole('heading', { name: 'No permission' })).toBeVisible();
  expect(server.calls('endpoint.list')).toEqual([]);
  expect(await findBarriers()).toEqual([]);
});

it('says that a permission was taken away meanwhile, without a try that cannot help', async () => {
  await open(new Refusal('forbidden', 'Your role cannot see devices.'));
  await expect.element(page.getByRole('alert').filter({ hasText: /Your role cannot see devices/ })).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Try again' })).not.toBeInTheDocument();
});
