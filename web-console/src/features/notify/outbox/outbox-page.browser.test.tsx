import type { OutboxCounts, OutboxMessage } from '@svc/contracts/notify/outbox';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../../testing/fake-server.ts';
import { openPage } from '../../../testing/show.tsx';
import { connectorOf } from '../../../ui/notify/test-connectors.ts';
import { countsOf, messageOf } from './test-messages.ts';

const pager = connectorOf('Network on call', { id: 'pager' });
const desk = { id: 'desk', name: 'Service desk', provider: 'ticket_b' } as const;
const waiting = messageOf({
  ...{ state: 'waiting', attempts: 6, said: '503 Service unavailable', next_at: '2026-11-24T13:39:08.000Z', done_at: null },
  connector: { id: 'shops', name: 'Shops', provider: 'chat_b' },
});
const dead = messageOf({ state: 'dead', attempts: 40, said: '403 Forbidden', why: 'it was not taken within a day' });
const ticket = messageOf({
  ...{ state: 'sent', connector: desk, said: '201 Created' },
  external: { label: 'OPS-412', url: 'https://jira.example/browse/OPS-412' },
});
const held = messageOf({
  state: 'held_back',
  verb: 'resolve',
  cause: 'resolved',
  why: 'it came from there',
  attempts: 0,
  said: '',
});
const chat = messageOf({
  state: 'confirmed',
  connector: { id: 'genie', name: 'Genie', provider: 'pager_b' },
  possible_repeats: 1,
});

const listOf = (items: OutboxMessage[], counts: Partial<OutboxCounts> = {}, next_cursor: string | null = null) => ({
  ...{ items, next_cursor },
  counts: countsOf({ waiting: 1, dead: 1, held_back: 1, sent: 2, possible_repeats: 1, ...counts }),
});

const open = (path: string, answers: Answers = {}) =>
  openPage(path, {
    ...shellAnswers,
    'identity.me': me(['incident.read', 'settings.write']),
    'incidents.pulse': { open: 1, unacknowledged: 1, revision: '1' },
    'notify.pulse': { dead: 1, waiting: 1, broken: 0, failing: 0 },
    'notify.connectors.list': { items: [pager] },
    'notify.outbox.list': listOf([waiting, dead, ticket, held, chat]),
    ...answers,
  });

it('says what is dead and what waits, and of each message whom it goes to, its state and its object there', async () => {
  await open('/notify/outbox');
  await expect
    .element(page.getByRole('heading', { level: 1 }))
    .toHaveTextContent('1 message is dead: it is not tried any more. 1 message waits.');
  await expect.element(page.getByRole('row', { name: /Shops.*503 Service unavailable.*Retrying, next/ })).toBeVisible();
  await expect.element(page.getByRole('row', { name: /Service desk.*201 Created.*Sent/ })).toBeVisible();
  await expect
    .element(page.getByRole('link', { name: 'OPS-412' }))
    .toHaveAttribute('href', 'https://jira.example/browse/OPS-412');
  await expect.element(page.getByRole('row', { name: /Genie.*Confirmed.*possible repeat/ })).toBeVisible();
  await expect.element(page.getByRole('row', { name: /not sent.*Held back.*it came from there/ })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('is read in the dark too', async () => {
  await open('/notify/outbox');
  await expect.element(page.getByRole('link', { name: 'OPS-412' })).toBeVisible();
  document.documentElement.dataset.theme = 'dark';
  expect(await findBarriers()).toEqual([]);
  delete document.documentElement.dataset.theme;
});

it('opens a message by keyboard, with all that is known of it', async () => {
  const { at } = await open('/notify/outbox');
  const more = page.getByRole('button', { name: 'Opened, to Network on call: more' }).first();
  await expect.element(more).toBeVisible();
  (more.element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter}');
  await expect.poll(at).toBe(`/notify/outbox?message=${dead.id}`);
  await expect.element(page.getByText(/It is not tried any more: it was not taken within a day\./)).toBeVisible();
  await expect.element(page.getByText(dead.dedup_key, { exact: true })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('sends a message again, and gives it up after asking', async () => {
  const { server } = await open(`/notify/outbox?message=${dead.id}`, {
    'notify.outbox.retry': () => undefined as never,
    'notify.outbox.giveUp': () => undefined as never,
  });
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect.poll(() => server.calls('notify.outbox.retry')).toEqual([{ id: dead.id }]);
  // The row stands still while somebody points at it: what was done is said, and cannot be done twice.
  await expect.element(page.getByText('It is on its way again.')).toHaveFocus();
  await expect.element(page.getByRole('button', { name: 'Send again' })).not.toBeInTheDocument();
  // Whoever goes on from there is not called back by the next reading of the list.
  const before = server.calls('notify.outbox.list').length;
  const other = page.getByRole('button', { name: /Network on call/ }).first();
  (other.element() as HTMLElement).focus();
  server.answer({ 'notify.outbox.list': listOf([{ ...dead, said: 'something else' }]) });
  await expect.poll(() => server.calls('notify.outbox.list').length, { timeout: 8000 }).toBeGreaterThan(before);
  await expect.element(other).toHaveFocus();
  (other.element() as HTMLElement).blur();
  await userEvent.unhover(page.getByRole('table'));
  server.answer({ 'notify.outbox.list': listOf([{ ...dead, attempts: dead.attempts + 1 }]) });
  await page.getByRole('button', { name: 'Give up' }).click({ timeout: 8000 });
  await page.getByRole('dialog').getByRole('button', { name: 'Give up' }).click();
  await expect.poll(() => server.calls('notify.outbox.giveUp')).toEqual([{ id: dead.id }]);
  await expect.element(page.getByText('It is given up.')).toBeVisible();
});

it('says of several dead ones that they are not tried any more', async () => {
  await open('/notify/outbox', { 'notify.outbox.list': listOf([dead], { dead: 3, waiting: 0 }) });
  await expect
    .element(page.getByRole('heading', { level: 1 }))
    .toHaveTextContent('3 messages are dead: they are not tried any more.');
});

it('is narrowed by state, connector and incident, and keeps that in its address', async () => {
  const { server, at } = await open(`/notify/outbox?incident=${dead.incident.id}`);
  await page.getByRole('button', { name: 'Dead 1' }).click();
  await page.getByRole('combobox', { name: 'Connector' }).selectOptions('Network on call');
  await expect.poll(at).toBe(`/notify/outbox?incident=${dead.incident.id}&state=dead&connector=pager`);
  await expect
    .poll(() => server.calls('notify.outbox.list').at(-1))
    .toMatchObject({ state: ['dead'], connector: 'pager', incident: dead.incident.id });
  await page.getByRole('combobox', { name: 'State', exact: true }).selectOptions('Confirmed');
  await page.getByRole('button', { name: 'Incident 94 only' }).click();
  await expect.poll(at).toBe('/notify/outbox?state=confirmed&connector=pager');
});

it('shows older messages when asked', async () => {
  const { server } = await open('/notify/outbox', {
    'notify.outbox.list': ({ cursor }) => (cursor ? listOf([held]) : listOf([ticket], {}, 'older')),
  });
  await page.getByRole('button', { name: 'Older messages' }).click();
  await expect.element(page.getByRole('row', { name: /Held back/ })).toBeVisible();
  expect(server.calls('notify.outbox.list').at(-1)).toMatchObject({ cursor: 'older' });
  await expect.element(page.getByText('2 messages shown')).toBeVisible();
});

it('says why there is none: filters, nobody to tell, or nothing yet', async () => {
  const none = { 'notify.outbox.list': listOf([], { waiting: 0, dead: 0, held_back: 0, sent: 0 }) };
  await open('/notify/outbox?state=dead', none);
  await expect.element(page.getByText('No message matches')).toBeVisible();
  await open('/notify/outbox', { ...none, 'notify.connectors.list': { items: [] } });
  await expect.element(page.getByText('Nobody is told of incidents')).toBeVisible();
  await open('/notify/outbox', none);
  await expect.element(page.getByText('Nothing was said yet')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('loads, fails, and is refused in words', async () => {
  await open('/notify/outbox', { 'notify.outbox.list': WAITING });
  await expect.element(page.getByRole('table')).toHaveAttribute('aria-busy', 'true');
  await open('/notify/outbox', { 'notify.outbox.list': new Refusal('internal', 'It broke.') });
  await expect.element(page.getByText(/It broke/)).toBeVisible();
  await open('/notify/outbox', { 'identity.me': me(['agent.read']) });
  await expect.element(page.getByText(/Your role cannot see incidents/)).toBeVisible();
});

it('of a reader says why nothing can be done, and still shows all of it', async () => {
  await open(`/notify/outbox?message=${dead.id}`, { 'identity.me': me(['incident.read']) });
  await expect.element(page.getByRole('button', { name: 'Send again' })).toHaveAttribute('aria-disabled', 'true');
  await expect.element(page.getByText(/Your role cannot change notifications/)).toBeVisible();
});

it('leaves the names their room beside an opened message on a narrow screen', async () => {
  await page.viewport(390, 800);
  await open('/notify/outbox');
  const name = page.getByRole('cell').getByText('Network on call').first();
  const height = (): number => name.element().getBoundingClientRect().height;
  await expect.element(name).toBeVisible();
  const before = height();
  await page.getByRole('button', { name: 'Opened, to Network on call: more' }).first().click();
  await expect.element(page.getByText(/It is not tried any more: it was not taken/)).toBeVisible();
  expect(height()).toBe(before);
  await page.viewport(1280, 900);
});
