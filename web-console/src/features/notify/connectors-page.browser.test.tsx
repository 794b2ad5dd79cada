import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { type Answers, InputRefusal, Refusal, SILENCE, WAITING } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';
import { connectorOf, FORMS, inboundOf } from '../../ui/notify/test-connectors.ts';

const AT = '2026-11-24T13:05:00.000Z';
const pager = connectorOf('Network on call');
const desk = connectorOf('Desk', {
  ...{ provider: 'ticket_b', provider_name: 'Jira', waiting: 2, last_answer: '401 Unauthorized', state: 'broken', state_at: AT },
  ...{ state_reason: '401 Unauthorized', settings: { url: 'https://acme.example', project: 'OPS' }, secrets: ['credential'] },
});
const configured = connectorOf('Given', { source: 'configuration', created_by: null });
const TAKEN = { ok: true, steps: [{ step: 'check' as const, outcome: 'sent' as const, said: '200 OK' }] };

const open = (path: string, more: Answers = {}) => {
  sessionStorage.clear();
  return openPage(path, {
    ...shellAnswers,
    'identity.me': me(['incident.read', 'settings.write']),
    'incidents.pulse': { open: 0, unacknowledged: 0, revision: '1' },
    'notify.connectors.list': { items: [configured, desk, pager] },
    'notify.connectors.forms': FORMS,
    'notifyRules.list': { items: [] },
    'notifyInbound.list': { items: [] },
    ...more,
  });
};
const headline = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const button = (name: string | RegExp) => page.getByRole('button', { name });
const dialog = () => page.getByRole('dialog');
const opened = (name: string) => page.getByRole('region', { name, exact: true });

it('says first what somebody has to look after, and who is told where no rule is on', async () => {
  await open('/notify');
  await expect.element(headline(/^Desk cannot be sent to since .*: messages to it wait\.$/)).toBeVisible();
  await expect.element(page.getByText(/12 messages sent in 24 h, 2 waiting, none dead/)).toBeVisible();
  await expect
    .element(page.getByRole('link', { name: 'No rule: every connector is told of every incident, at once.' }))
    .toHaveAttribute('href', '/notify/rules');
  expect(await findBarriers()).toEqual([]);
});

it('opens a connector by the keyboard, keeps that in the address and never shows a secret', async () => {
  const { at } = await open('/notify');
  await expect.element(button(/^Desk/)).toBeVisible();
  (button(/^Desk/).element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter}');
  await expect.poll(at).toBe('/notify?open=id-desk');
  const box = opened('Desk');
  await expect.element(box.getByText('It cannot be sent to with these settings and this credential')).toBeVisible();
  await expect.element(box.getByText('Project key')).toBeVisible();
  const [inside, around] = [box.element(), box.element().closest('table')?.parentElement as Element].map((one) =>
    one.getBoundingClientRect(),
  );
  expect(inside?.right, 'no word of it is beyond the card').toBeLessThanOrEqual(around?.right ?? 0);
  await expect.element(box.getByText('sealed, never shown')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  await button(/^Desk/).click();
  await expect.poll(at).toBe('/notify');
});

it('warns that a test may page somebody, and shows what came of it in the words of the provider', async () => {
  const steps = [
    { step: 'check' as const, outcome: 'sent' as const, said: '' },
    { step: 'open' as const, outcome: 'final' as const, said: '400 Event object is invalid' },
  ];
  const { server } = await open(`/notify?open=${pager.id}`, { 'notify.connectors.test': { ok: false, steps } });
  const box = opened(pager.name);
  await expect.element(box.getByText('A test opens an alert: whoever is on call may be paged.')).toBeVisible();
  expect(server.calls('notify.connectors.test')).toEqual([]);
  await box.getByRole('button', { name: 'Send a test' }).click();
  await expect.element(box.getByText('The test did not go through.')).toBeVisible();
  await expect.element(box.getByText('400 Event object is invalid')).toBeVisible();
  expect(server.calls('notify.connectors.test')).toEqual([{ id: pager.id }]);
  expect(await findBarriers()).toEqual([]);
});

it('adds a connector: checks first, marks what is wrong, and opens it afterwards', async () => {
  const wrong = new InputRefusal([{ path: 'project', message: 'A project key is made of letters.' }]);
  const added = connectorOf('Tickets', { provider: 'ticket_b' });
  const { server, at } = await open('/notify', { 'notify.connectors.check': wrong, 'notify.connectors.create': added });
  await button('Add a connector').click();
  await dialog().getByRole('radio', { name: 'Jira' }).click();
  await expect.element(button('Check and add')).toHaveAttribute('title', 'Site is missing');
  await dialog().getByRole('textbox', { name: 'Name (optional)' }).fill('Tickets');
  await dialog().getByLabelText('Site').fill('https://acme.example');
  await dialog().getByLabelText('API token').fill('a:b');
  await dialog().getByLabelText('Project key').fill('1');
  expect(await findBarriers()).toEqual([]);
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog().getByText('A project key is made of letters.')).toBeVisible();
  await dialog().getByLabelText('Project key').fill('OPS');
  server.answer({ 'notify.connectors.check': TAKEN, 'notify.connectors.list': { items: [pager, added] } });
  await button('Check and add').click();
  await expect.element(dialog()).not.toBeInTheDocument();
  const values = { url: 'https://acme.example', credential: 'a:b', project: 'OPS' };
  expect(server.calls('notify.connectors.create')).toEqual([{ provider: 'ticket_b', name: 'Tickets', values }]);
  await expect.poll(at).toBe(`/notify?open=${added.id}`);
});

it('saves nothing when the credential is refused, unless somebody insists', async () => {
  const refused = {
    ok: false,
    steps: [{ step: 'check' as const, outcome: 'broken_credential' as const, said: '401 Not you' }],
  };
  const { server } = await open('/notify', { 'notify.connectors.check': refused, 'notify.connectors.create': pager });
  await button('Add a connector').click();
  await dialog().getByLabelText('Integration key').fill('k');
  await button('Check and add').click();
  await expect.element(dialog().getByText('401 Not you')).toBeVisible();
  // It is read aloud, and seen without scrolling, with what can be done about it one step of the Tab key away.
  const failed = dialog().getByRole('alert').filter({ hasText: '401 Not you' });
  await expect.element(failed).toHaveFocus();
  const { top, bottom } = failed.element().getBoundingClientRect();
  expect([top >= 0, bottom <= innerHeight]).toEqual([true, true]);
  await userEvent.keyboard('{Tab}');
  await expect.element(dialog().getByRole('checkbox', { name: 'Save it all the same' })).toHaveFocus();
  expect(server.calls('notify.connectors.create')).toEqual([]);
  // What is typed is kept for another try; its secret is in no draft.
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('"k"');
  await dialog().getByRole('checkbox', { name: 'Save it all the same' }).click({ force: true });
  await button('Add unchecked').click();
  await expect.poll(() => server.calls('notify.connectors.create')).toHaveLength(1);
});

it('changes settings without asking for a secret again, and resumes', async () => {
  const { server } = await open(`/notify?open=${desk.id}`, {
    'notify.connectors.change': desk,
    'notify.connectors.resume': desk,
  });
  await button('Settings and credential').click();
  await dialog().getByLabelText('Project key').fill('NET');
  await button('Save').click();
  await expect.element(dialog()).not.toBeInTheDocument();
  const values = { url: 'https://acme.example', project: 'NET' };
  expect(server.calls('notify.connectors.change')).toEqual([{ id: desk.id, values }]);
  expect(server.calls('notify.connectors.check')).toEqual([]);
  await button('Resume').click();
  await expect.poll(() => server.calls('notify.connectors.resume')).toEqual([{ id: desk.id }]);
});

it('asks before a connector is deleted, with what becomes of its messages, and says why it was not', async () => {
  const { server } = await open(`/notify?open=${desk.id}`, {
    'notify.connectors.remove': new Refusal('conflict', 'It is being sent to.'),
  });
  await button('Delete').click();
  await expect.element(dialog().getByText(/2 messages that wait are never sent/)).toBeVisible();
  expect(server.calls('notify.connectors.remove')).toEqual([]);
  await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.element(dialog().getByRole('alert').filter({ hasText: 'It is being sent to.' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('shows a connector of the configuration read only, but for pause and test', async () => {
  await open(`/notify?open=${configured.id}`);
  for (const name of ['Settings and credential', 'Rename', 'Delete'])
    await expect.element(button(name)).toHaveAttribute('title', 'It stands in SVC_NOTIFY_CONNECTORS and is changed there.');
  await expect.element(button('Pause')).not.toHaveAttribute('aria-disabled');
  await expect.element(button('Send a test')).not.toHaveAttribute('aria-disabled');
});

it('lets a reader read, and says who may change', async () => {
  await open(`/notify?open=${pager.id}`, { 'identity.me': me(['incident.read']) });
  for (const name of ['Add a connector', 'Send a test', 'Pause', 'Delete'])
    await expect
      .element(button(name))
      .toHaveAttribute('title', 'Your role cannot change notifications. Someone with the role Administrator can.');
});

it.each(['light', 'dark'])('is empty with the one thing to do in the %s theme', async (theme) => {
  document.documentElement.dataset.theme = theme;
  await open('/notify', { 'notify.connectors.list': { items: [] } });
  await expect.element(headline('Nobody is told of incidents: add a connector.')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  document.documentElement.dataset.theme = 'light';
});

it('keeps its shape while it loads, says that it failed, and asks nothing without permission', async () => {
  const { server } = await open('/notify', { 'notify.connectors.list': WAITING });
  await expect.element(page.getByRole('table')).toHaveAttribute('aria-busy', 'true');
  await open('/notify', { 'notify.connectors.list': new Refusal('conflict', 'The store is being moved.') });
  await expect
    .element(
      page
        .getByRole('alert')
        .filter({ hasText: /The store is being moved/ })
        .last(),
    )
    .toBeVisible();
  expect(server.calls('notify.connectors.test')).toEqual([]);
  const denied = await open('/notify', { 'identity.me': me([]), 'notify.connectors.list': SILENCE });
  await expect.element(page.getByRole('heading', { name: 'No permission' })).toBeVisible();
  expect(denied.server.calls('notify.connectors.list')).toEqual([]);
});

it('says by which webhook it comes back, or that none is set up and where to do that', async () => {
  const webhook = inboundOf({ provider: 'ticket_b', name: 'Desk calls' });
  await open('/notify', { 'notifyInbound.list': { items: [webhook] } });
  const row = (name: RegExp) => page.getByRole('row').filter({ has: page.getByRole('button', { name }) });
  await expect
    .element(row(/^Desk/).getByRole('link', { name: 'Desk calls' }))
    .toHaveAttribute('href', `/notify/inbound/${webhook.id}`);
  await expect
    .element(row(/^Network on call/).getByRole('link', { name: 'set up a webhook' }))
    .toHaveAttribute('href', '/notify/inbound');
});

it('asks of an incoming webhook of Slack nothing that is about bots', async () => {
  const hook = connectorOf('Room', { provider: 'chat_a', provider_name: 'Slack', settings: { url: 'https://hooks.slack.com' } });
  await open(`/notify?open=${hook.id}`, { 'notify.connectors.list': { items: [hook] } });
  await expect.element(opened('Room').getByText('Incoming webhook of')).toBeVisible();
  await button('Settings and credential').click();
  await expect.element(dialog().getByLabelText('Bot token or webhook address')).toBeVisible();
  await expect.element(dialog().getByLabelText(/Web API/)).not.toBeInTheDocument();
  await dialog().getByLabelText('Bot token or webhook address').fill('xoxb-1');
  await expect.element(dialog().getByLabelText(/Web API/)).toBeVisible();
});
