import type { InboundDelivery, InboundWebhook } from '@svc/contracts/notify/inbound';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';
import { connectorOf } from '../../ui/notify/test-connectors.ts';

const webhookOf = (more: Partial<InboundWebhook> = {}): InboundWebhook => ({
  ...{ id: 'in1', provider: 'ticket_a', name: 'Service desk', source: 'console', connector: null },
  ...{ address: 'https://svc.example/ingest/itsm/ticket_a/in1', created_at: '2026-11-20T09:00:00.000Z' },
  ...{ created_by: { id: 'ana', name: 'Ana' }, rotated_at: null, overlap_until: null, last_delivery_at: null },
  ...{ deliveries: 0, refusals: [] },
  ...more,
});
const silent = webhookOf();
const busy = webhookOf({
  ...{ id: 'in2', provider: 'pager_a', name: 'On call', deliveries: 12, last_delivery_at: '2026-11-24T13:07:00.000Z' },
  connector: { id: 'pager', name: 'Network on call' },
  refusals: [
    { reason: 'wrong_signature', count: 2, last_at: '2026-11-24T13:00:00.000Z' },
    { reason: 'no_signature', count: 1, last_at: '2026-11-24T12:00:00.000Z' },
  ],
});
const deliveryOf = (more: Partial<InboundDelivery>): InboundDelivery => ({
  ...{ id: '01990000-0000-7000-8000-00000000d001', received_at: '2026-11-24T13:07:48.000Z', event: 'incident.resolved' },
  ...{ references: ['svc-94'], outcome: 'resolved', reason: '', incident_id: '01990000-0000-7000-8000-000000000094' },
  ...more,
});
const last = [
  deliveryOf({}),
  deliveryOf({
    ...{ id: '01990000-0000-7000-8000-00000000d002', outcome: 'not_understood', incident_id: null, references: [] },
    reason: 'it names our key nowhere, and the connector has no key to ask the provider with',
  }),
];
const pager = connectorOf('Network on call', { id: 'pager', secrets: ['credential'] });

const open = (path: string, answers: Answers = {}) =>
  openPage(path, {
    ...shellAnswers,
    'identity.me': me(['incident.read', 'settings.write']),
    'incidents.pulse': { open: 0, unacknowledged: 0, revision: '1' },
    'notify.pulse': { dead: 0, waiting: 0, broken: 0, failing: 0 },
    'notify.connectors.list': { items: [pager] },
    'notifyInbound.list': { items: [silent, busy] },
    'notifyInbound.get': { webhook: busy, last },
    ...answers,
  });

it('says which webhook waits for its first delivery, and what was refused of another', async () => {
  await open('/notify/inbound');
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('1 webhook of 2 waits for the first delivery.');
  await expect
    .element(page.getByRole('row', { name: /On call.*Network on call.*12.*3, last: signed with another secret/ }))
    .toBeVisible();
  await expect.element(page.getByRole('row', { name: /Service desk.*any of ServiceNow.*waiting for the first/ })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('is read in the dark too', async () => {
  await open('/notify/inbound');
  await expect.element(page.getByRole('link', { name: 'Service desk' })).toBeVisible();
  document.documentElement.dataset.theme = 'dark';
  expect(await findBarriers()).toEqual([]);
  delete document.documentElement.dataset.theme;
});

it('makes a webhook by keyboard, and shows address, secret, steps and the script to paste once', async () => {
  const secret = 'svc_itsm_of-this-test-alone';
  const { server } = await open('/notify/inbound', {
    'notifyInbound.create': { webhook: silent, secret },
    'notifyInbound.get': { webhook: silent, last: [] },
  });
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByRole('button', { name: 'ServiceNow' }).click();
  await page.getByLabelText('Name').fill('Service desk');
  expect(await findBarriers()).toEqual([]);
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => server.calls('notifyInbound.create')).toEqual([{ provider: 'ticket_a', name: 'Service desk' }]);
  await expect.element(page.getByText(secret, { exact: true })).toBeVisible();
  await expect.element(page.getByText(/Business Rules, New/)).toBeVisible();
  await expect.element(page.getByText(/message\.setRequestHeader\('X-Svc-Token', 'svc_itsm_of-this-test-alone'\)/)).toBeVisible();
  await expect.element(page.getByText('Waiting for the first delivery')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('says before a webhook of PagerDuty is made that its own messages need a REST key, and takes its secret', async () => {
  const { server } = await open('/notify/inbound', { 'notifyInbound.create': { webhook: busy, secret: 'x'.repeat(20) } });
  await page.getByRole('button', { name: 'New webhook' }).click();
  await expect.element(page.getByText(/the connector has no REST API key/)).toBeVisible();
  await page.getByLabelText('Name').fill('On call');
  await page.getByLabelText(/Signing secret of PagerDuty/).fill('short');
  await expect.element(page.getByRole('button', { name: 'Create' })).toHaveAttribute('aria-disabled', 'true');
  await page.getByLabelText(/Signing secret of PagerDuty/).fill('x'.repeat(20));
  await page.getByRole('combobox', { name: 'Connector that it belongs to' }).selectOptions('Network on call');
  await page.getByRole('button', { name: 'Create' }).click();
  await expect
    .poll(() => server.calls('notifyInbound.create'))
    .toEqual([{ provider: 'pager_a', name: 'On call', connector: 'pager', secret: 'x'.repeat(20) }]);
  await expect.element(page.getByText('x'.repeat(20))).not.toBeInTheDocument();
});

it('shows of one what came of each delivery, what was refused and what helps', async () => {
  await open('/notify/inbound/in2');
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('On call');
  await expect
    .element(page.getByRole('row', { name: /Resolved here/ }).getByRole('link'))
    .toHaveAttribute('href', '/incidents/01990000-0000-7000-8000-000000000094');
  await expect.element(page.getByRole('row', { name: /Not understood.*it names our key nowhere/ })).toBeVisible();
  await expect.element(page.getByText('Rotate, and copy the new secret.')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('rotates with an overlap, and shows the new secret once', async () => {
  const { server } = await open('/notify/inbound/in2', { 'notifyInbound.rotate': { webhook: busy, secret: 'svc_itsm_another' } });
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByLabelText(/The secret it has now/).fill('2');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await expect.poll(() => server.calls('notifyInbound.rotate')).toEqual([{ id: 'in2', overlap_hours: 2 }]);
  await expect.element(page.getByText('svc_itsm_another', { exact: true })).toBeVisible();
});

it('renames', async () => {
  const { server } = await open('/notify/inbound/in2', { 'notifyInbound.rename': busy });
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabelText('Name').fill('Night desk');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => server.calls('notifyInbound.rename')).toEqual([{ id: 'in2', name: 'Night desk' }]);
});

it('deletes after asking', async () => {
  const { server, at } = await open('/notify/inbound/in2', { 'notifyInbound.remove': () => undefined as never });
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => server.calls('notifyInbound.remove')).toEqual([{ id: 'in2' }]);
  await expect.poll(at).toBe('/notify/inbound');
});

it('is empty, loads, fails, and is refused in words', async () => {
  await open('/notify/inbound', { 'notifyInbound.list': { items: [] } });
  await expect.element(page.getByText('No inbound webhook yet')).toBeVisible();
  await open('/notify/inbound', { 'notifyInbound.list': WAITING });
  await expect.element(page.getByRole('table')).toHaveAttribute('aria-busy', 'true');
  await open('/notify/inbound/in2', { 'notifyInbound.get': new Refusal('not_found', 'There is no such webhook.') });
  await expect.element(page.getByText('There is no such webhook.')).toBeVisible();
});

it('says to a reader why one cannot be changed', async () => {
  await open('/notify/inbound/in2', { 'identity.me': me(['incident.read']) });
  await expect.element(page.getByRole('button', { name: 'Rotate' })).toHaveAttribute('aria-disabled', 'true');
});

it('says of one of the configuration where it is changed', async () => {
  await open('/notify/inbound/in2', { 'notifyInbound.get': { webhook: { ...busy, source: 'configuration' }, last: [] } });
  await expect
    .element(page.getByRole('button', { name: 'Delete' }))
    .toHaveAttribute('title', 'It stands in SVC_NOTIFY_INBOUND and is changed there.');
});
