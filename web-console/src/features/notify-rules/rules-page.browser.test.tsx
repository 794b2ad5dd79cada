import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { type Answers, InputRefusal, Refusal, WAITING } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';
import { connectorOf } from '../../ui/notify/test-connectors.ts';
import { PREVIEW, ruleOf } from './test-rules.ts';

const pager = connectorOf('Pager');
const chat = connectorOf('Chat', { provider: 'chat_a' });
const nights = ruleOf('Nights', {
  ...{ severity: 'critical', delay_seconds: 300, connectors: [pager.id] },
  schedule: { time_zone: 'Europe/Berlin', days: [1, 2, 3, 4, 5], from: '18:00', to: '08:00' },
});
const off = ruleOf('Old', { enabled: false });

const open = (path: string, more: Answers = {}) => {
  sessionStorage.clear();
  return openPage(path, {
    ...shellAnswers,
    'identity.me': me(['incident.read', 'settings.write']),
    'incidents.pulse': { open: 0, unacknowledged: 0, revision: '1' },
    'notify.connectors.list': { items: [chat, pager] },
    'notifyRules.list': { items: [nights, off] },
    'notifyRules.preview': PREVIEW,
    ...more,
  });
};
const headline = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });

it('says who decides, who is left out, and each rule in words', async () => {
  await open('/notify/rules');
  await expect.element(headline('1 of 2 rules decides who is told.')).toBeVisible();
  await expect.element(page.getByText(/No rule that is on names Chat: it is told of nothing/)).toBeVisible();
  await expect
    .element(row('Nights').filter({ hasText: /Critical only.*Mon to Fri, 18:00 to 08:00, Europe\/Berlin.*After 5\smin.*Pager/ }))
    .toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('says plainly that everybody is told where all rules are off, or there is none', async () => {
  await open('/notify/rules', { 'notifyRules.list': { items: [off] } });
  await expect.element(headline('The one rule is off: every connector is told of every incident, at once.')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  await open('/notify/rules', { 'notifyRules.list': { items: [] } });
  await expect.element(headline('No rule: every connector is told of every incident, at once.').last()).toBeVisible();
  await expect.element(page.getByText('No rule yet')).toBeVisible();
});

it('makes a rule in fields, and shows which incidents it would have sent', async () => {
  const { server, at } = await open('/notify/rules', { 'notifyRules.create': nights });
  await button('New rule').click();
  await expect.poll(at).toBe('/notify/rules?edit=new');
  await expect.element(page.getByText('It would have sent 1 of 4 incidents.')).toBeVisible();
  await expect.element(page.getByRole('link', { name: '94 Incident number 94' })).toBeVisible();
  await button('Over or acknowledged before 2').click();
  await expect.element(page.getByRole('link', { name: '93 Incident number 93' })).toBeVisible();
  await expect.element(page.getByRole('link', { name: '91 Incident number 91' })).toBeVisible();
  await expect.element(button('Create rule')).toHaveAttribute('title', 'Name it first');
  await page.getByRole('textbox', { name: 'Name' }).fill('Shop by day');
  const severity = page.getByRole('combobox', { name: 'Severity' });
  await expect.element(severity).toHaveDisplayValue('Warning and critical');
  await severity.selectOptions('Info and warning');
  await page.getByRole('textbox', { name: 'Targets (optional)' }).fill('shop.*, *.example');
  await page.getByRole('textbox', { name: 'Delay' }).fill('5');
  await page.getByRole('checkbox', { name: 'Only at some hours of the week' }).click({ force: true });
  const from = page.getByRole('textbox', { name: 'From' });
  await expect.element(from, { message: 'no clock of the browser, which may ask for AM and PM' }).toHaveValue('08:00');
  await from.fill('8 pm');
  await expect.element(page.getByText('A time such as 22:30')).toBeVisible();
  await from.fill('8');
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Kolkata');
  await expect.element(from).toHaveValue('08:00');
  await button('Only these').click();
  await expect.element(page.getByText('Choose a connector')).toBeVisible();
  await expect.element(button('Create rule')).toHaveAttribute('aria-disabled', 'true');
  await page.getByRole('checkbox', { name: 'Pager' }).click({ force: true });
  expect(await findBarriers()).toEqual([]);
  const body = {
    ...{ severity: 'info', severity_most: 'warning', planes: [], targets: ['shop.*', '*.example'], sites: [] },
    ...{ delay_seconds: 300, quiet: null },
    schedule: { time_zone: 'Asia/Kolkata', days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' },
    connectors: [pager.id],
  };
  await expect.poll(() => server.calls('notifyRules.preview').at(-1)).toEqual(body);
  await button('Create rule').click();
  await expect.poll(() => server.calls('notifyRules.create')).toEqual([{ ...body, name: 'Shop by day', enabled: true }]);
  await expect.poll(at).toBe('/notify/rules');
});

it('marks the field that the server refuses, and keeps what was typed', async () => {
  const refused = new InputRefusal([{ path: 'connectors.0', message: 'There is no such connector.' }]);
  const { server } = await open(`/notify/rules?edit=${nights.id}`, { 'notifyRules.change': refused });
  await page.getByRole('textbox', { name: 'Name' }).fill('Nights on call');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('There is no such connector.', { exact: true })).toBeVisible();
  await expect.element(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Nights on call');
  expect(server.calls('notifyRules.change')).toMatchObject([{ id: nights.id, name: 'Nights on call', delay_seconds: 300 }]);
});

it('says what deleting and switching off the last rule means before it is done', async () => {
  const { server } = await open('/notify/rules', {
    'notifyRules.remove': () => undefined as never,
    'notifyRules.change': nights,
  });
  await button('Delete Nights').click();
  await expect
    .element(dialog().getByText(/every connector is told of every incident, at once, by day and by night/))
    .toBeVisible();
  expect(server.calls('notifyRules.remove')).toEqual([]);
  expect(await findBarriers()).toEqual([]);
  await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(() => server.calls('notifyRules.remove')).toEqual([{ id: nights.id }]);
  await expect.element(dialog()).not.toBeInTheDocument();
  await button('Switch on Old').click();
  await dialog().getByRole('button', { name: 'Switch on', exact: true }).click();
  await expect.poll(() => server.calls('notifyRules.change')).toMatchObject([{ id: off.id, name: 'Old', enabled: true }]);
});

it('lets a reader read, and says who may change', async () => {
  const { server } = await open('/notify/rules?edit=new', { 'identity.me': me(['incident.read']) });
  await expect.element(row('Nights')).toBeVisible();
  await expect.element(page.getByText('Your role cannot change notifications.', { exact: false })).toBeVisible();
  await expect.element(button('Delete Nights')).not.toBeInTheDocument();
  expect(server.calls('notifyRules.preview')).toEqual([]);
});

it('says that a rule is gone, that it loads, and that it failed', async () => {
  await open('/notify/rules?edit=01990000-0000-7000-8000-0000000000ff');
  await expect.element(page.getByText('There is no such rule any more')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  await open('/notify/rules', { 'notifyRules.list': WAITING });
  await expect.element(page.getByRole('table').last()).toHaveAttribute('aria-busy', 'true');
  await open('/notify/rules', { 'notifyRules.list': new Refusal('conflict', 'The store is being moved.') });
  await expect
    .element(
      page
        .getByRole('alert')
        .filter({ hasText: /The store is being moved/ })
        .last(),
    )
    .toBeVisible();
});

it('is used by the keyboard without losing the place: into the editor, and back to what opened it', async () => {
  await open('/notify/rules', { 'notifyRules.create': nights });
  await button('Change Nights').click();
  const name = page.getByRole('textbox', { name: 'Name' });
  await expect.element(name).toHaveFocus();
  const preview = page.getByRole('region', { name: 'Over the last 100 incidents' });
  await page.viewport(1440, 700);
  page.getByRole('button', { name: 'Save' }).element().scrollIntoView({ block: 'end' });
  await expect.element(preview.getByText('It would have sent 1 of 4 incidents.')).toBeInViewport();
  await page.viewport(1280, 900);
  await button('Cancel').click();
  await expect.element(button('Change Nights')).toHaveFocus();
  await button('New rule').click();
  await expect.element(name).toHaveFocus();
  await userEvent.fill(name, 'Shop');
  await userEvent.keyboard('{Enter}');
  await expect.element(button('New rule')).toHaveFocus();
});
