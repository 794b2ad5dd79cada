import type { ModelPreview } from '@svc/contracts/causes/model-answer';
import type { RootCause } from '@svc/contracts/causes/root-cause';
import type { IncidentView } from '@svc/contracts/incidents/incident';
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { type Answers, Refusal, WAITING } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';
import { candidateOf, incidentChangesOf } from '../changes/test-changes.ts';

/** Of today, since the page of a test goes back 30 days. */
const AT_MS = Date.now();
const ID = '01990000-0000-7000-8000-000000000001';

const explained: RootCause = {
  ...{
    incident_id: ID,
    version: 3,
    made_at: '2026-11-26T14:14:00.000Z',
    from: '2026-11-26T12:00:00.000Z',
    to: '2026-11-26T14:14:00.000Z',
  },
  explanation:
    'Most likely the deploy 548 “Deploy checkout 4.18.0”, 4 minutes before the harm began. Shop home fails: it began with the change.',
  ...{ confidence: 0.84, level: 'high', computed: 'score 0.84; no other explanation has evidence of its own' },
  hypotheses: [
    {
      ...{ kind: 'change', subject: 'c1', sentence: 'The deploy 548.', score: 0.84 },
      parts: [
        { evidence: 'E1', effect: 'for', weight: 0.8, why: 'it names exactly what is hurt' },
        { evidence: 'E2', effect: 'for', weight: 0.25, why: 'it began with the change' },
        { evidence: 'E3', effect: 'against', weight: 0.35, why: 'it answers as before' },
      ],
    },
    { kind: 'network', subject: 'Berlin', sentence: 'The network at Berlin.', score: 0.31, parts: [] },
  ],
  evidence: [
    ...[
      {
        id: 'E1',
        plane: 'changes',
        sentence: 'Change 548 (deploy) “<b>4.18.0</b>”.',
        link: { page: 'change', id: 'c1' },
      } as const,
      { id: 'E2', plane: 'tests', sentence: 'Shop home fails: 12 of 12 runs.', link: { page: 'test', id: 't1' } } as const,
      { id: 'E3', plane: 'otlp', sentence: 'shop: as before.', link: { page: 'service', id: 'shop' } } as const,
      { id: 'E4', plane: 'logs', sentence: 'shop logs “timeout”: 12 lines.', link: { page: 'logs', id: 'shop' } } as const,
      {
        id: 'E5',
        plane: 'rum',
        sentence: 'shop at shop.example: hurt.',
        link: { page: 'app', id: 'shop/shop.example' },
      } as const,
    ].map((item) => ({ ...item, at: new Date(AT_MS).toISOString() })),
  ],
  not_measured: [{ plane: 'rum', sentence: 'Nothing of it is collected here.' }],
};

const open = (more: Answers, permissions: Parameters<typeof me>[0] = ['incident.read', 'ai.query', 'events.read']) =>
  openPage(`/incidents/${ID}`, {
    ...shellAnswers,
    'identity.me': me(permissions),
    'incidents.pulse': { open: 1, unacknowledged: 1, revision: '1' },
    ...more,
  });

const incident: IncidentView['incident'] = {
  ...{
    id: ID,
    number: 94,
    tenant_id: 'acme',
    status: 'open',
    severity: 'critical',
    severity_set_by: null,
    title: 'Shop home fails',
  },
  ...{
    target: 'shop.example',
    prefix: null,
    site: null,
    started_at: '2026-11-26T14:00:00.000Z',
    opened_at: '2026-11-26T14:02:00.000Z',
  },
  ...{
    last_seen_at: '2026-11-26T14:10:00.000Z',
    acknowledged_at: null,
    acknowledged_by: null,
    assigned_to: null,
    resolved_at: null,
  },
  ...{ resolved_by: null, signal_count: 0, open_signal_count: 0, planes: [] },
};

const view: IncidentView = {
  ...{ incident, sentence: 'Shop home fails.', signals: [], entries: [], affected: [], related: [] },
  auto_resolve_minutes: 15,
};

it('names the permission that is missing, and asks for nothing', async () => {
  const { server } = await open({ 'incidents.get': view }, ['incident.read', 'ai.query']);
  await expect.element(page.getByRole('region', { name: 'Root cause' }).getByText(/^Your role cannot/)).toBeVisible();
  expect(server.calls('causes.get')).toEqual([]);
});

it('says the cause, each item with the page that shows it, what speaks against it, and what nobody measured', async () => {
  await open({ 'incidents.get': view, 'causes.get': explained });
  const card = page.getByRole('region', { name: 'Root cause' });
  await expect.element(card.getByText('Most likely the deploy 548', { exact: false })).toBeVisible();
  await expect.element(card.getByText('Confidence: high (0.84), 2 for, 1 against.', { exact: false })).toBeVisible();
  await expect.element(card.getByText('“<b>4.18.0</b>”', { exact: false })).toBeVisible();
  await expect.element(card.getByText('It names exactly what is hurt.')).toBeVisible();
  const [from, to] = [-30, 30].map((minutes) => new Date(AT_MS + minutes * 60_000).toISOString());
  await expect.element(card.getByRole('link', { name: 'Test' })).toHaveAttribute('href', `/tests/t1?from=${from}&to=${to}`);
  await expect.element(card.getByText('The network at Berlin.', { exact: true })).toBeVisible();
  await card.getByText('Not measured (1)').click();
  await expect.element(card.getByText('Nothing of it is collected here.', { exact: false })).toBeVisible();
  await card.getByText('Seen besides (2)').click();
  await expect.element(card.getByRole('link', { name: 'Users' })).toHaveAttribute('href', '/rum/shop/shop.example');
  await expect.element(card.getByText('shop logs “timeout”: 12 lines.', { exact: false })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('is read anew once a change was judged, which weighs in it', async () => {
  const { server } = await open({
    ...{ 'incidents.get': view, 'causes.get': explained, 'changes.ofIncident': incidentChangesOf([candidateOf()]) },
    'identity.me': me(['incident.read', 'incident.write', 'change.read', 'ai.query', 'events.read']),
    'changes.judge': () => {
      server.answer({ 'causes.get': { ...explained, version: 4, explanation: 'No cause is named.' } });
      return undefined as never;
    },
  });
  await page.getByRole('button', { name: /^Rule it out/ }).click();
  await expect.element(page.getByRole('region', { name: 'Root cause' }).getByText('No cause is named.')).toBeVisible();
});

it('keeps the rest of the page where it cannot be read, and while it is made', async () => {
  const { server } = await open({ 'incidents.get': view, 'causes.get': new Refusal('query_limit', 'The store is away.') });
  const card = page.getByRole('region', { name: 'Root cause' });
  await expect.element(card.getByText('The store is away.', { exact: false })).toBeVisible();
  server.answer({ 'causes.get': WAITING });
  await card.getByRole('button', { name: 'Try again' }).click();
  server.answer({ 'causes.get': explained });
  expect(await findBarriers()).toEqual([]);
});

const preview: ModelPreview = {
  ...{
    incident_id: ID,
    version: 3,
    configured: true,
    provider: 'anthropic',
    model: 'm-1',
    host: 'models.example',
    is_local: false,
  },
  ...{ may_ask: true, system: 'You explain.', prompt: 'BEGIN EVIDENCE', masked: [{ category: 'ip_address', count: 2 }] },
};

it('shows what a model would be sent before it is asked, and marks its answer', async () => {
  const sentences = [{ text: 'The deploy broke the shop.', evidence: ['E1'] }];
  const { server } = await open({
    ...{ 'incidents.get': view, 'causes.get': explained, 'causes.preview': preview },
    'causes.ask': { incident_id: ID, version: 3, provider: 'anthropic', model: 'm-1', sentences, dropped: 2 },
  });
  await page.getByRole('button', { name: 'What a model would be sent' }).click();
  await expect.element(page.getByText('BEGIN EVIDENCE', { exact: false })).toBeVisible();
  await expect.element(page.getByText('Masked in it: 2 addresses.')).toBeVisible();
  expect(server.calls('causes.ask')).toEqual([]);
  await page.getByRole('button', { name: 'Ask the model' }).click();
  const answer = page.getByRole('region', { name: 'Answer of a model' });
  await expect.element(answer.getByText('The deploy broke the shop.', { exact: false })).toBeVisible();
  await expect.element(answer.getByText('2 of its sentences were dropped', { exact: false })).toBeVisible();
  expect(server.calls('causes.ask')).toEqual([{ id: ID, version: 3 }]);
});

it('offers nothing to ask without consent, and says why', async () => {
  await open({ 'incidents.get': view, 'causes.get': explained, 'causes.preview': { ...preview, may_ask: false } });
  await page.getByRole('button', { name: 'What a model would be sent' }).click();
  await expect.element(page.getByText('this tenant has not consented', { exact: false })).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Ask the model' })).not.toBeInTheDocument();
});
