import type { Candidate, Change } from '@svc/contracts/changes/change';
import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createChangeEvidence } from './change-evidence.ts';

const ACME = parseTenantId('acme');
const SINCE = Date.UTC(2026, 10, 26, 14, 0);

const change = (id: string, target: string, minutesBefore: number): Change => ({
  ...{
    id,
    number: 7,
    tenant_id: ACME,
    source: 'forge',
    kind: 'deploy',
    title: `Deploy ${target}`,
    summary: '',
    target,
    prefix: null,
  },
  ...{ target_from: 'change', actor: null, ref: null, url: null, attributes: {}, repository: null, environment: null },
  ...{ occurred_at: new Date(SINCE - minutesBefore * 60_000).toISOString(), received_at: new Date(SINCE).toISOString() },
  ...{ state: 'failed', finished_at: null, webhook_id: 'w' },
});

const candidate = (of: Change): Candidate => ({
  change: of,
  score: 0.999,
  topology: { kind: 'same_target', score: 1, why: '' },
  recency: { score: 0.997, seconds_before: 240 },
  sentence: '',
  verdict: null,
});

test('candidates come with their score, and changes of what is called with one of their own, each once', async () => {
  const asked: unknown[] = [];
  const find = createChangeEvidence({
    candidatesOf: async () => ({
      items: [candidate(change('a', 'shop', 4))],
      ...{ window: { from: '', to: '', hours: 24, grace_minutes: 5 }, anchors: [] },
      looked_at: { changes: 3, candidates: 1, elsewhere: 2, untargeted: 0, bounded: false },
    }),
    changesOn: async (_, query) => {
      asked.push(query);
      return [change('a', 'shop', 4), change('b', 'payments', 720), change('c', 'elsewhere', 1)];
    },
  });
  const question = { target: 'shop', prefix: null, site: null, testIds: [], services: ['shop', 'payments'], incidentId: 'i' };
  const { facts, notMeasured } = await find(ACME, { ...question, fromMs: SINCE, sinceMs: SINCE, toMs: SINCE });
  expect(facts).toMatchObject([
    { changeId: 'a', topology: 1, score: 0.999, dependency: null, failed: true },
    { changeId: 'b', topology: 0, recency: 0.5, score: 0.2, dependency: 'payments' },
  ]);
  expect(notMeasured).toEqual([]);
  expect(asked).toEqual([{ targets: ['payments'], from: '2026-11-25T14:00:00.000Z', to: '2026-11-26T14:05:00.000Z' }]);
});

const noCandidates = {
  items: [],
  ...{ window: { from: '', to: '', hours: 24, grace_minutes: 5 }, anchors: [] },
  looked_at: { changes: 3, candidates: 0, elsewhere: 3, untargeted: 0, bounded: false },
};
const asking = { target: 'shop', prefix: null, site: null, testIds: [], incidentId: 'i' };
const times = { fromMs: SINCE, sinceMs: SINCE, toMs: SINCE };

test('a service is the same however traces and the delivery spell it', async () => {
  const find = createChangeEvidence({
    candidatesOf: async () => noCandidates,
    changesOn: async () => [
      change('a', 'payments.api', 2),
      change('b', 'orders.shop.svc.cluster.local', 3),
      change('c', 'elsewhere', 1),
    ],
  });
  const { facts } = await find(ACME, { ...asking, ...times, services: ['Shop', 'Payments.Api', 'orders'] });
  expect(facts).toMatchObject([
    { changeId: 'a', dependency: 'Payments.Api' },
    { changeId: 'b', dependency: 'orders' },
  ]);
});

test('a deployment that waits or was called off is told as one', async () => {
  const find = createChangeEvidence({
    candidatesOf: async () => ({
      ...noCandidates,
      items: (['waiting', 'cancelled', 'succeeded'] as const).map((state) => candidate({ ...change(state, 'shop', 4), state })),
    }),
    changesOn: async () => [],
  });
  const { facts } = await find(ACME, { ...asking, ...times, services: [] });
  expect(facts.map((fact) => fact.kind === 'change' && [fact.changeId, fact.unapplied])).toEqual([
    ['waiting', 'waiting'],
    ['cancelled', 'cancelled'],
    ['succeeded', undefined],
  ]);
});
