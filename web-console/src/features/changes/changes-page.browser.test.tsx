import type { Webhook, WebhookDetail } from '@svc/contracts/changes/webhook';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';
import { changeOf } from '../../ui/changes/test-changes.ts';

const webhookOf = (more: Partial<Webhook> = {}): Webhook => ({
  ...{ id: 'hook-1', provider: 'forge_a', name: 'acme/shop', source: 'console' },
  ...{ address: 'https://svc.example/ingest/changes/forge_a/hook-1', created_at: '2026-11-20T09:00:00.000Z' },
  ...{ created_by: { id: 'ana', name: 'Ana' }, rotated_at: null, overlap_until: null, last_delivery_at: null },
  ...{ deliveries: 0, events_stored: 0, without_target: 0, refusals: [] },
  ...more,
});
const silent = webhookOf();
const busy = webhookOf({
  ...{
    id: 'hook-2',
    name: 'acme/pay',
    provider: 'generic',
    last_delivery_at: new Date().toISOString(),
    deliveries: 4,
    events_stored: 7,
  },
  ...{ without_target: 2, refusals: [{ reason: 'wrong_signature', count: 3, last_at: '2026-11-24T13:00:00.000Z' }] },
});
const route = changeOf({
  id: '01990000-0000-7000-8000-00000000c002',
  number: 11,
  kind: 'route',
  title: 'Route moved',
  url: null,
  target: null,
  summary: '',
});

const open = (path: string, answers: Answers) =>
  openPage(path, {
    ...shellAnswers,
    'identity.me': me(['change.read', 'settings.write']),
    'changes.facets': { sources: ['github', 'ansible'], actors: ['ana'] },
    'changes.webhooks.list': { items: [silent, busy] },
    'changes.list': { items: [changeOf({}), route], next_cursor: null },
    ...answers,
  });

it('shows the timeline, and links what has an address', async () => {
  await open('/changes', {});
  const row = page.getByRole('row').nth(1);
  await expect.element(row.getByRole('link', { name: 'shop main (f95f852) to production' })).toBeVisible();
  await expect.element(row.getByText('shop.example')).toBeVisible();
  await expect.element(page.getByRole('row').nth(2).getByText('no target')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('shows what was told meanwhile when one comes back to it', async () => {
  const { server, back } = await open('/changes', {});
  await expect.element(page.getByRole('row').nth(2)).toBeVisible();
  const [first] = server.calls('changes.list');
  await page.getByRole('link', { name: 'Webhooks' }).last().click();
  await expect.element(page.getByRole('link', { name: 'acme/pay' })).toBeVisible();
  server.answer({ 'changes.list': { items: [changeOf({ title: 'Told meanwhile', url: null })], next_cursor: null } });
  back();
  await expect.element(page.getByText('Told meanwhile')).toBeVisible();
  const last = server.calls('changes.list').at(-1);
  expect(Date.parse(last?.to ?? '')).toBeGreaterThan(Date.parse(first?.to ?? ''));
});

it('is narrowed, and keeps that in its address', async () => {
  const { server, at } = await open('/changes', {});
  await page.getByRole('combobox', { name: 'Kind' }).selectOptions('deploy');
  await page.getByRole('combobox', { name: 'Source' }).selectOptions('github');
  await page.getByLabelText('Network or address').fill('10.0.0.0/8');
  await userEvent.keyboard('{Enter}');
  await page.getByText('Without a target').click();
  await expect.poll(at).toBe('/changes?kind=deploy&source=github&prefix=10.0.0.0%2F8&untargeted=only');
  await expect
    .poll(() => server.calls('changes.list').at(-1))
    .toMatchObject({ kind: ['deploy'], source: 'github', prefix: '10.0.0.0/8', untargeted: true });
});

it('says why there is none: filters, nobody who tells, or a quiet time', async () => {
  const none = { 'changes.list': { items: [], next_cursor: null } };
  await open('/changes?text=x', none);
  await expect.element(page.getByText('No change matches')).toBeVisible();
  await open('/changes', { ...none, 'changes.webhooks.list': { items: [] } });
  await expect.element(page.getByText('Nobody tells of changes yet')).toBeVisible();
  await open('/changes', none);
  await expect.element(page.getByText('Nothing changed in this time')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('loads, fails and is refused in words', async () => {
  await open('/changes', { 'changes.list': WAITING });
  await expect.element(page.getByRole('table')).toHaveAttribute('aria-busy', 'true');
  await open('/changes', { 'changes.list': new Refusal('internal', 'It broke.') });
  await expect.element(page.getByText(/It broke/)).toBeVisible();
});

it('says which webhook waits for its first delivery, and what was refused of another', async () => {
  await open('/change-webhooks', {});
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('1 webhook of 2 waits for the first delivery.');
  await expect
    .element(page.getByRole('row', { name: /acme\/pay/ }).getByText('Signed with another secret, or changed on its way'))
    .toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('makes a webhook and shows address, secret and commands once', async () => {
  const secret = 'svc_chg_of-this-test-alone';
  const { server } = await open('/change-webhooks', {
    'changes.webhooks.create': { webhook: webhookOf({ provider: 'generic', name: 'cron' }), secret },
  });
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByRole('button', { name: 'A program of your own' }).click();
  await page.getByLabelText('Name').fill('cron');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect.poll(() => server.calls('changes.webhooks.create').at(-1)).toEqual({ provider: 'generic', name: 'cron' });
  await expect.element(page.getByText(secret, { exact: true })).toBeVisible();
  await expect.element(page.getByText(/openssl dgst -sha256/)).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('says of a new webhook why a delivery was refused, and what its first one came to', async () => {
  const made = webhookOf({ id: 'hook-9', provider: 'generic', name: 'cron' });
  const refusals = [{ reason: 'no_signature' as const, count: 1, last_at: '2026-11-24T13:52:20.000Z' }];
  const first = {
    id: 'd1',
    received_at: '2026-11-24T13:52:20.000Z',
    event: '',
    outcome: 'stored' as const,
    events: 1,
    dropped: [],
  };
  const told: WebhookDetail[] = [
    { webhook: made, last: [], rules: [] },
    { webhook: { ...made, refusals }, last: [], rules: [] },
    { webhook: { ...made, refusals, last_delivery_at: first.received_at }, last: [first], rules: [] },
  ];
  await open('/change-webhooks', {
    'changes.webhooks.create': { webhook: made, secret: 'svc_chg_of-this-test-alone' },
    'changes.webhooks.get': () => (told.length > 1 ? told.shift() : told[0]) as WebhookDetail,
  });
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByLabelText('Name').fill('cron');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect.element(page.getByText('Waiting for the first delivery')).toBeVisible();
  await expect.element(page.getByText(/A delivery was refused: not signed\. Give the secret/)).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  await expect.element(page.getByText(/Its first delivery is here: 1 change\./)).toBeVisible();
});

it('keeps what was typed into the table until it is saved, also where one leaves the page', async () => {
  sessionStorage.clear();
  const table = (rules: WebhookDetail['rules']): WebhookDetail => ({ webhook: busy, last: [], rules });
  const { server } = await open('/change-webhooks/hook-2', {
    'changes.webhooks.get': table([]),
    'changes.webhooks.preview': { looked_at: 0, matched: 0, by_rule: [], sample: [] },
    'changes.webhooks.setTargets': ({ rules }) => {
      const saved = table(rules as WebhookDetail['rules']);
      server.answer({ 'changes.webhooks.get': saved });
      return saved;
    },
  });
  const place = page.getByLabelText('Happens at, row 1');
  await page.getByRole('button', { name: 'Add a row' }).click();
  await place.fill('shop.example');
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').first().click();
  await page.getByRole('link', { name: 'acme/pay' }).click();
  await expect.element(place).toHaveValue('shop.example');
  await expect.element(page.getByText(/Restored what you had typed/)).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.element(page.getByRole('button', { name: 'Save' })).toHaveAttribute('title', 'Nothing is changed');
  await expect.element(place).toHaveValue('shop.example');
});

it('once a webhook is deleted, says on coming back that there is none', async () => {
  const { server, back } = await open('/change-webhooks/hook-2', {
    'changes.webhooks.get': { webhook: busy, last: [], rules: [] },
    'changes.webhooks.preview': { looked_at: 0, matched: 0, by_rule: [], sample: [] },
    'changes.webhooks.remove': () => {
      server.answer({ 'changes.webhooks.get': new Refusal('not_found', 'There is no such webhook.') });
      return undefined as never;
    },
  });
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('1 webhook of 2 waits for the first delivery.');
  back();
  await expect.element(page.getByRole('heading', { name: 'There is no such webhook' })).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Rotate' })).not.toBeInTheDocument();
  expect(await findBarriers()).toEqual([]);
});

it('shows one webhook: what came, what was refused and what helps, and its table with what it does', async () => {
  const { server } = await open('/change-webhooks/hook-2', {
    'changes.webhooks.get': {
      webhook: busy,
      last: [
        {
          id: 'd1',
          received_at: '2026-11-24T13:52:20.000Z',
          event: 'push',
          outcome: 'partly_stored',
          events: 2,
          dropped: [{ reason: 'no_title', count: 1 }],
        },
      ],
      rules: [{ repository: 'acme/*', environment: '', path: '', target: 'shop.example', prefix: null }],
    },
    'changes.webhooks.preview': { looked_at: 9, matched: 7, by_rule: [7], sample: [] },
    'changes.webhooks.setTargets': { webhook: busy, last: [], rules: [] },
  });
  await expect.element(page.getByText('2 changes; dropped: 1 without a title')).toBeVisible();
  await expect.element(page.getByText('Rotate, and copy the new secret.')).toBeVisible();
  await expect.element(page.getByText('7 of the last 9 changes without a target of their own get one.')).toBeVisible();
  await page.getByLabelText('Happens at, row 1').fill('203.0.113.0/24');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(() => server.calls('changes.webhooks.setTargets').at(-1))
    .toMatchObject({ id: 'hook-2', rules: [{ repository: 'acme/*', target: null, prefix: '203.0.113.0/24' }] });
  expect(await findBarriers()).toEqual([]);
});
