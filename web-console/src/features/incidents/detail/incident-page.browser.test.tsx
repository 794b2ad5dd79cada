import type { IncidentView } from '@svc/contracts/incidents/incident';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { Refusal, WAITING } from '../../../testing/fake-server.ts';
import { openPage } from '../../../testing/show.tsx';
import { incidentChangesOf } from '../../../ui/changes/test-changes.ts';
import { incidentOf, noticeOf, signalOf, viewOf } from '../test-incidents.ts';

const { id } = incidentOf({});
const MAY = me(['incident.read', 'incident.write', 'test.read', 'agent.read']);
/** Of lanes that these tests are not about. */
const NO_LANES = {
  'tests.strip': WAITING,
  'tests.series': WAITING,
  'incidents.devices': WAITING,
  'changes.ofIncident': WAITING,
  'notify.ofIncident': WAITING,
} as const;
const open = (view: IncidentView, more: object = {}) =>
  openPage(`/incidents/${id}`, {
    ...shellAnswers,
    'identity.me': MAY,
    'incidents.pulse': { open: 1, unacknowledged: 1, revision: '1' },
    'incidents.get': view,
    ...NO_LANES,
    ...more,
  });

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

const two = (): IncidentView => {
  const test = signalOf({
    id: '01990000-0000-7000-8000-00000000000a',
    occurred_at: minutesAgo(30),
    attributes: { 'test.id': 't1' },
  });
  const devices = signalOf({
    ...{ id: '01990000-0000-7000-8000-00000000000b', plane: 'endpoint', kind: 'endpoint.shared_cause' },
    ...{ title: '28 devices behind 10.64.32.1 are slow', occurred_at: minutesAgo(25), recovered_at: minutesAgo(5) },
    joined_by: 'prefix covers the address',
  });
  const started_at = minutesAgo(30);
  return viewOf({
    incident: incidentOf({
      started_at,
      opened_at: minutesAgo(28),
      last_seen_at: minutesAgo(1),
      signal_count: 2,
      planes: ['tests', 'endpoint'],
    }),
    signals: [test, devices],
    entries: [
      { id: '1', at: minutesAgo(28), kind: 'opened', actor: null, signal_id: test.id, detail: '' },
      {
        id: '2',
        at: minutesAgo(25),
        kind: 'signal_joined',
        actor: null,
        signal_id: devices.id,
        detail: 'prefix covers the address',
      },
      {
        id: '3',
        at: minutesAgo(10),
        kind: 'commented',
        actor: { id: 'a', name: 'Mara' },
        signal_id: null,
        detail: 'It is line 2.',
      },
    ],
    affected: [
      { kind: 'test', id: 't1', name: 'Shop home', since: started_at, recovered_at: null },
      { kind: 'site', id: 'Berlin', name: 'Berlin', since: started_at, recovered_at: minutesAgo(5) },
    ],
    related: [{ id: '01990000-0000-7000-8000-00000000000c', number: 91, title: 'Mail', why: 'the same prefix fits it too' }],
  });
};

it('puts the instants of what signals say on the viewer’s clock', async () => {
  const view = two();
  const [first, ...rest] = view.signals;
  const summary = 'Fails from Berlin since 2026-07-24T14:04:00Z: the connection is reset.';
  await open({ ...view, signals: [{ ...(first as (typeof rest)[number]), summary }, ...rest] });
  await expect.element(page.getByText(/Fails from Berlin since 24 Jul.* 15:04: the connection is reset\./)).toBeVisible();
});

it('says what hurts, its life, its signals in order and what is affected', async () => {
  await open(two());
  await expect
    .element(page.getByRole('heading', { level: 1 }))
    .toHaveTextContent('TLS handshakes to the shop take 3.1 s from Berlin since 14:03.');
  await expect.element(page.getByText('2 signals from 2 planes', { exact: false })).toBeVisible();
  await expect.element(page.getByText('Hurt now: 1 test.', { exact: false })).toBeVisible();
  await expect
    .element(page.getByText('28 devices behind 10.64.32.1 are slow. Joined by prefix covers the address'))
    .toBeVisible();
  await expect.element(page.getByRole('link', { name: 'Shop home' })).toHaveAttribute('href', '/tests/t1');
  await expect.element(page.getByRole('link', { name: '91: Mail' })).toBeVisible();
  await expect.element(page.getByText('It is line 2.', { exact: true })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  document.documentElement.dataset.theme = 'dark';
  expect(await findBarriers()).toEqual([]);
  delete document.documentElement.dataset.theme;
});

const MINUTE = 60_000;
const at = (ms: number): string => new Date(ms).toISOString();

/** What the lanes ask for: runs every minute of which those of the last half hour fail, slow devices from 25 minutes ago on. */
const LANES = {
  'tests.strip': ({ from, to }: { from: string; to: string }) => {
    const [begin, end] = [Date.parse(from), Date.parse(to)];
    const bars = Array.from({ length: Math.floor((end - begin) / MINUTE) }, (_, index) => {
      const failed = begin + index * MINUTE > Date.now() - 30 * MINUTE ? 1 : 0;
      return { at: at(begin + index * MINUTE), passed: 1 - failed, failed, not_run: 0, paused: false };
    });
    return { from, to, step_seconds: 60, bars };
  },
  'tests.series': ({ from, to }: { from: string; to: string }) => {
    const begin = Date.parse(from);
    const points = Array.from({ length: Math.floor((Date.parse(to) - begin) / MINUTE) }, (_, index) => {
      const tls = begin + index * MINUTE > Date.now() - 30 * MINUTE ? 3100 : 90;
      const phases = { dns: 2, tls };
      return { at: at(begin + index * MINUTE), runs: 1, failed: 0, phases, total_ms: 2 + tls, result_id: null };
    });
    return { from, to, step_seconds: 60, points };
  },
  'incidents.devices': ({ from, to }: { from: string; to: string }) => {
    const begin = Date.parse(from);
    const steps = Array.from({ length: Math.ceil((Date.parse(to) - begin) / (2 * MINUTE)) }, (_, index) => {
      const moment = begin + index * 2 * MINUTE;
      return { slow: moment > Date.now() - 25 * MINUTE ? 28 : 0, measured: 64 };
    });
    return { from, step_seconds: 120, places: [{ site: 'Berlin', gateway: '10.64.32.1', cause: 'wifi', devices: 64, steps }] };
  },
};

it('shows runs, the phase that grew, devices and signals in lanes over one time, and reads them at a moment by keyboard', async () => {
  await open(two(), LANES);
  await expect.element(page.getByRole('img', { name: /^Shop home: .* passed, .* failed$/ })).toBeVisible();
  await expect.element(page.getByRole('img', { name: /^TLS, seconds, by the tests: Shop home up to 3\.1/ })).toBeVisible();
  await expect.element(page.getByRole('img', { name: /^Slow devices, Wi-Fi, of 64 in Berlin: up to 28 slow/ })).toBeVisible();
  await expect.element(page.getByRole('img', { name: /^Tests, 1 signal: Shop home fails from Berlin/ })).toBeVisible();
  const slider = page.getByRole('slider', { name: /^Moment of the reading/ });
  (slider.element() as HTMLElement).focus();
  await userEvent.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}{Enter}');
  const reading = page.getByText(/kept, Enter or a click lets go/);
  await expect.element(reading).toBeVisible();
  await expect.element(slider).toHaveAttribute('aria-valuetext', expect.stringMatching(/failed: Shop home/));
  await expect.element(slider).toHaveAttribute('aria-valuetext', expect.stringMatching(/TLS: Shop home 3\.1/));
  await expect.element(slider).toHaveAttribute('aria-valuetext', expect.stringMatching(/28 slow in Berlin/));
  expect(await findBarriers()).toEqual([]);
  await userEvent.keyboard('{Escape}');
  await expect.element(reading).not.toBeInTheDocument();
});

it('marks changes of what is hurt on the brush and through all lanes, until they are switched off', async () => {
  const mark = { id: 'c', number: 548, kind: 'deploy', title: 'checkout 4.18.0', target: 'shop.example', prefix: null };
  const { server } = await open(two(), {
    ...LANES,
    'identity.me': me(['incident.read', 'test.read', 'change.read']),
    'changes.ofIncident': incidentChangesOf([]),
    'changes.marks': { items: [{ ...mark, occurred_at: minutesAgo(32) }], total: 1 },
  });
  await expect.element(page.getByRole('img', { name: '1 change: Change 548: checkout 4.18.0' })).toBeVisible();
  await expect.element(page.getByRole('link', { name: /^Deployment 548, checkout 4\.18\.0/ })).toBeVisible();
  expect(server.calls('changes.marks').at(-1)).toMatchObject({ targets: ['shop.example'] });
  const lines = () => ['.brush', '.tl-rows'].map((box) => document.querySelectorAll(`${box} .marklines i`).length);
  await expect.poll(lines).toEqual([1, 1]);
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('region', { name: 'Changes of what is shown' }).getByText('Changes', { exact: true }).click();
  await expect.poll(lines).toEqual([0, 0]);
  await expect.element(page.getByRole('img', { name: /^1 change/ })).not.toBeInTheDocument();
  localStorage.removeItem('svc.changes.marks');
});

it('gives the whole strip back by Escape, and the incident again by a click', async () => {
  await open(two(), LANES);
  const edge = page.getByRole('slider', { name: 'Shown from' });
  const shownFrom = async () => Number((edge.element() as HTMLElement).getAttribute('aria-valuenow'));
  await expect.element(edge).toBeInTheDocument();
  const focus = await shownFrom();
  (edge.element() as HTMLElement).focus();
  await userEvent.keyboard('{ArrowLeft}');
  await expect.poll(shownFrom).toBeLessThan(focus);
  await userEvent.keyboard('{Escape}');
  await expect.poll(shownFrom).toBeLessThanOrEqual(focus - 60 * MINUTE);
  await page.getByRole('button', { name: 'Around the incident' }).click();
  await expect.poll(shownFrom).toBe(focus);
});

it('leaves lanes out that the reader may not see, and says which test is gone', async () => {
  await open(two(), { ...LANES, 'identity.me': me(['incident.read']) });
  await expect.element(page.getByRole('img', { name: /^Tests, 1 signal/ })).toBeVisible();
  await expect.element(page.getByRole('img', { name: /^Slow devices/ })).not.toBeInTheDocument();
  await open(two(), { ...LANES, 'tests.strip': new Refusal('not_found', 'There is no such test.') });
  await expect.element(page.getByText('this test was deleted')).toBeVisible();
});

it('is acknowledged, taken over, given a severity, resolved with a word', async () => {
  const done = new Map<string, unknown>();
  const verbs = ['acknowledge', 'assign', 'setSeverity', 'resolve', 'comment'].map((verb) => [
    `incidents.${verb}`,
    (input: unknown) => {
      done.set(verb, input);
      return {};
    },
  ]);
  await open(two(), Object.fromEntries(verbs));
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await expect.poll(() => done.get('acknowledge')).toEqual({ id });
  await page.getByRole('button', { name: 'Take over' }).click();
  await expect.poll(() => done.get('assign')).toEqual({ id, account: 'account-1' });
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Severity: Critical' }).click();
  await expect.poll(() => done.get('setSeverity')).toEqual({ id, severity: 'critical' });
  await page.getByLabelText('Comment').fill('Line 2 is being mended.');
  await userEvent.keyboard('{Control>}{Enter}{/Control}');
  await expect.poll(() => done.get('comment')).toEqual({ id, text: 'Line 2 is being mended.' });
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.getByLabelText('What was it? (optional)').fill('A deploy.');
  await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
  await expect.poll(() => done.get('comment')).toEqual({ id, text: 'A deploy.' });
  await expect.poll(() => done.get('resolve')).toEqual({ id });
});

it('says once what it was, however often resolving is tried, and says what kept it from that', async () => {
  const { server } = await open(two(), {
    'incidents.comment': new Refusal('unavailable', 'The database is away.'),
    'incidents.resolve': new Refusal('conflict', 'Somebody else changes it.'),
  });
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.getByLabelText('What was it? (optional)').fill('A deploy.');
  const resolve = page.getByRole('dialog').getByRole('button', { name: 'Resolve' });
  await resolve.click();
  await expect.element(page.getByRole('alert')).toHaveTextContent('The database is away.');
  expect(server.calls('incidents.resolve')).toEqual([]);
  server.answer({ 'incidents.comment': {} as never });
  await resolve.click();
  await expect.element(page.getByRole('alert')).toHaveTextContent('Somebody else changes it.');
  server.answer({ 'incidents.resolve': {} as never });
  await resolve.click();
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
  expect(server.calls('incidents.comment')).toHaveLength(2);
  expect(server.calls('incidents.resolve')).toHaveLength(2);
});

it('writes people as they write themselves, and begins a line of ours with a capital', async () => {
  const actor = { id: 'a', name: 'mara@shop.example' };
  const entries: IncidentView['entries'] = [
    { id: '1', at: minutesAgo(9), kind: 'acknowledged', actor, signal_id: null, detail: '' },
    { id: '2', at: minutesAgo(8), kind: 'resolved', actor: { id: 'system', name: 'system' }, signal_id: null, detail: '' },
  ];
  await open({ ...two(), entries });
  const order = page.getByRole('region', { name: 'In order' });
  await expect.element(order.getByText('mara@shop.example', { exact: true })).toBeVisible();
  await expect.element(order.getByText('The system', { exact: true })).toBeVisible();
});

it('takes a signal out that is about something else', async () => {
  const out: unknown[] = [];
  await open(two(), { 'incidents.removeSignal': (input: unknown) => out.push(input) });
  await page.getByRole('button', { name: 'Take out' }).click();
  expect(await findBarriers()).toEqual([]);
  await page.getByRole('button', { name: 'Take it out' }).click();
  await expect.poll(() => out).toEqual([{ id, signal: '01990000-0000-7000-8000-00000000000b' }]);
});

it('of a reader without the permission says why each act is off', async () => {
  await open(two(), { 'identity.me': me(['incident.read']) });
  await expect.element(page.getByRole('button', { name: 'Acknowledge' })).toHaveAttribute('aria-disabled', 'true');
  await expect.element(page.getByText('Your roles let you read incidents, not comment on them.')).toBeVisible();
});

it('of a resolved one offers to reopen it, and nothing else', async () => {
  const resolved = { status: 'resolved', resolved_at: minutesAgo(2), resolved_by: { id: 'system', name: 'system' } } as const;
  await open({ ...two(), incident: incidentOf({ ...resolved, started_at: minutesAgo(30), opened_at: minutesAgo(28) }) });
  await expect.element(page.getByRole('button', { name: 'Reopen' })).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Acknowledge' })).not.toBeInTheDocument();
  await expect.element(page.getByText('by the system', { exact: false })).toBeVisible();
});

it('says who was told elsewhere and what became of it there, with links', async () => {
  const ticket = { label: 'OPS-412', url: 'https://jira.example/browse/OPS-412' };
  const items = [
    noticeOf({ acknowledged_at: minutesAgo(20), acknowledged_there_by: 'Ada' }),
    noticeOf({ connector: { id: 'd', name: 'Service desk', provider: 'ticket_b' }, external: ticket }),
    noticeOf({
      ...{ connector: { id: 't', name: 'Shops', provider: 'chat_b' }, state: 'waiting', told_at: null, told: 'waiting' },
      open_message: { verb: 'open', state: 'waiting', next_at: minutesAgo(-9), said: '503 Service unavailable' },
    }),
  ];
  await open(two(), { 'notify.ofIncident': { items } });
  const told = page.getByRole('region', { name: 'Who was told' });
  await expect.element(told.getByText(/^Paged .*, acknowledged there by Ada/)).toBeVisible();
  await expect.element(told.getByRole('link', { name: 'OPS-412' })).toHaveAttribute('href', ticket.url);
  await expect.element(told.getByText(/the first message waits, next .*503 Service unavailable/)).toBeVisible();
  await expect.element(told.getByRole('link', { name: 'Outbox' })).toHaveAttribute('href', `/notify/outbox?incident=${id}`);
  expect(await findBarriers()).toEqual([]);
});

it('says where it was resolved, and that nobody was told', async () => {
  const resolved_by = { id: 'connector/1', name: 'ServiceNow (Service desk)' };
  const resolved = { status: 'resolved', resolved_at: minutesAgo(2), resolved_by } as const;
  await open(
    { ...two(), incident: incidentOf({ ...resolved, opened_at: minutesAgo(28) }) },
    { 'notify.ofIncident': { items: [] } },
  );
  await expect.element(page.getByText('in ServiceNow (Service desk), after', { exact: false })).toBeVisible();
  await expect.element(page.getByText(/Nobody outside was told/)).toBeVisible();
});

it('waits, and says that there is none', async () => {
  await open(two(), { 'incidents.get': WAITING });
  await expect.element(page.getByText('Incident, loading')).toBeInTheDocument();
  await open(two(), { 'incidents.get': new Refusal('not_found', 'There is no such incident.') });
  await expect.element(page.getByText('There is no such incident.')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});
