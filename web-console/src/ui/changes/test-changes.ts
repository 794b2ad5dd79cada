import type { Candidate, Change, IncidentChanges } from '@svc/contracts/changes/change';

export const changeOf = (more: Partial<Change>): Change => ({
  ...{ id: '01990000-0000-7000-8000-00000000c001', number: 12, tenant_id: 'tenant-1', source: 'github', kind: 'deploy' },
  ...{ title: 'shop main (f95f852) to production', summary: 'Faster checkout', target: 'shop.example', prefix: null },
  ...{
    target_from: 'change',
    actor: 'ana',
    ref: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
    url: 'https://github.test/acme/shop',
  },
  ...{ attributes: {}, repository: 'acme/shop', environment: 'production', occurred_at: '2026-11-24T13:52:18.000Z' },
  ...{ received_at: '2026-11-24T13:52:20.000Z', state: 'succeeded', finished_at: '2026-11-24T13:55:00.000Z', webhook_id: 'hook' },
  ...more,
});

export const candidateOf = (more: Partial<Candidate> = {}): Candidate => ({
  change: changeOf({}),
  score: 0.997,
  topology: { kind: 'same_target', score: 1, why: 'same target shop.example' },
  recency: { score: 0.992, seconds_before: 660 },
  sentence: 'exact target 1.0 x 0.6 + 11 minutes before x 0.4 = 0.997',
  verdict: null,
  ...more,
});

export const incidentChangesOf = (items: Candidate[]): IncidentChanges => ({
  items,
  window: { from: '2026-11-23T14:03:18.000Z', to: '2026-11-24T14:08:18.000Z', hours: 24, grace_minutes: 5 },
  looked_at: { changes: items.length + 3, candidates: items.length, elsewhere: 2, untargeted: 1, bounded: false },
  anchors: ['shop.example'],
});
