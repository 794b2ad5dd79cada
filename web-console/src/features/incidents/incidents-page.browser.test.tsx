import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { Refusal, WAITING } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';
import { incidentOf, viewOf } from './test-incidents.ts';

const shop = incidentOf({ severity: 'critical', planes: ['tests', 'endpoint'], signal_count: 4, open_signal_count: 3 });
const mail = incidentOf({ id: '01990000-0000-7000-8000-000000000093', number: 93, title: 'Mail is slow', status: 'resolved' });
const reader = { ...shellAnswers, 'identity.me': me(['incident.read']) };
const open = (path: string, list: object) => openPage(path, { ...reader, ...list });
const listOf = (items: ReturnType<typeof incidentOf>[], count = items.length) => ({
  'incidents.list': { items, next_cursor: null, open: count },
  'incidents.pulse': { open: count, unacknowledged: count, revision: '1' },
});

it('says first what is open, lists it with its planes, and counts it in the navigation', async () => {
  await open('/incidents', listOf([shop], 1));
  await expect
    .element(page.getByRole('heading', { level: 1 }))
    .toHaveTextContent('One incident is open: Shop home fails from Berlin.');
  const row = page.getByRole('row').nth(1);
  await expect.element(row.getByText('Critical')).toBeVisible();
  await expect.element(row.getByText('Tests, Devices')).toBeVisible();
  await expect.element(row.getByText('3/4')).toBeVisible();
  await expect.element(page.getByRole('link', { name: 'Incidents 1' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('is filtered by state, severity, plane and words, and keeps that in its address', async () => {
  const { server, at } = await open('/incidents', listOf([shop, mail], 1));
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.getByRole('combobox', { name: 'Severity' }).selectOptions('critical');
  await page.getByRole('combobox', { name: 'Seen by' }).selectOptions('tests');
  await page.getByLabelText('Words, target or number').fill('shop');
  await userEvent.keyboard('{Enter}');
  await expect.poll(at).toBe('/incidents?status=all&severity=critical&plane=tests&text=shop');
  await expect
    .poll(() => server.calls('incidents.list').at(-1))
    .toMatchObject({ severity: ['critical'], plane: ['tests'], search: 'shop', sort: 'open_first' });
});

it('shows incidents of all times, or those that were going on in the chosen one, whatever their state', async () => {
  const { server, at } = await open('/incidents', listOf([], 0));
  await page.getByRole('button', { name: 'Any time' }).click();
  await page.getByRole('button', { name: 'Last 24 hours' }).click();
  await expect.poll(at).toBe('/incidents?range=24h');
  const last = () => server.calls('incidents.list').at(-1);
  await expect.poll(() => Date.now() - Date.parse(last()?.from ?? '')).toBeGreaterThanOrEqual(86_400_000);
  expect(last()?.to).toBeUndefined();
  server.answer(listOf([mail], 0));
  await page.getByRole('button', { name: 'Look at all states' }).click();
  await expect.element(page.getByRole('link', { name: mail.title })).toBeVisible();
  expect(at()).toBe('/incidents?range=24h&status=all');
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('button', { name: 'Last 24 hours' }).click();
  await page.getByRole('button', { name: 'Any time' }).click();
  await expect.poll(at).toBe('/incidents?status=all');
});

it('opens an incident by its link, by a click on its row and by keyboard', async () => {
  const { at } = await open('/incidents', { ...listOf([shop, mail], 1), 'incidents.get': viewOf() });
  await page.getByRole('link', { name: shop.title }).click();
  await expect.poll(at).toBe(`/incidents/${shop.id}`);
  await expect.element(page.getByText('1 of 2')).toBeVisible();
  await page.getByRole('link', { name: 'Next incident' }).click();
  await expect.poll(at).toBe(`/incidents/${mail.id}`);
});

it('says that nothing is open, that nothing ever was, and that no filter matches', async () => {
  await open('/incidents', listOf([], 0));
  await expect.element(page.getByRole('heading', { name: 'Nothing is open' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('button', { name: 'Look at resolved ones' }).click();
  await expect.element(page.getByRole('heading', { name: 'There has been no incident yet' })).toBeVisible();
  await page.getByRole('combobox', { name: 'Severity' }).selectOptions('info');
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await expect.element(page.getByRole('heading', { name: 'There has been no incident yet' })).toBeVisible();
});

it('waits', async () => {
  await open('/incidents', { 'incidents.list': WAITING });
  await expect.element(page.getByText('Incidents, loading')).toBeInTheDocument();
});

it('says that it failed and keeps the filters', async () => {
  const { server } = await open('/incidents?plane=rum', {
    'incidents.list': new Refusal('conflict', 'The store is being moved.'),
  });
  await expect.element(page.getByText('Your filters are kept.', { exact: false })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  server.answer(listOf([shop], 1));
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.element(page.getByRole('link', { name: shop.title })).toBeVisible();
});

it('is refused in words to whoever may not read incidents', async () => {
  await openPage('/incidents', { ...shellAnswers, 'identity.me': me(['agent.read']) });
  await expect.element(page.getByRole('heading', { name: 'Incidents' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('gives a row the height that its lines need, and never lets them touch its edges', async () => {
  await page.viewport(1440, 900);
  const title = 'Checkout of the shop in the north fails from Berlin, Hamburg and 14 others, and from Lisbon';
  const long = incidentOf({ title, target: `${'a-long-name-of-a-host.'.repeat(5)}shop.example`, prefix: '203.0.113.0/24' });
  await open('/incidents', listOf([long], 1));
  await expect.element(page.getByRole('link', { name: title })).toBeVisible();
  const cell = page.getByRole('link', { name: title }).element().closest('td') as HTMLElement;
  const range = document.createRange();
  range.selectNodeContents(cell);
  const [words, row] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
  expect(words.height, 'three lines').toBeGreaterThan(40);
  expect(Math.min(words.top - row.top, row.bottom - words.bottom)).toBeGreaterThanOrEqual(5);
  // What has columns of its own is said again only where those fold.
  const folded = cell.querySelector<HTMLElement>('.inc-narrow');
  await expect.element(folded).not.toBeVisible();
  await page.viewport(390, 800);
  await expect.element(folded).toBeVisible();
  await page.viewport(1280, 900);
});
