import type { OutboxCounts, OutboxMessage } from '@svc/contracts/notify/outbox';

let made = 0;

/** One that PagerDuty accepted at the first attempt. */
export const messageOf = (more: Partial<OutboxMessage> = {}): OutboxMessage => {
  made += 1;
  return {
    id: `01990000-0000-7000-8000-${String(made).padStart(12, '0')}`,
    incident: { id: '01990000-0000-7000-8000-000000000094', number: 94, title: 'Shop home fails from Berlin' },
    connector: { id: 'pager', name: 'Network on call', provider: 'pager_a' },
    ...{ verb: 'open', cause: 'opened', actor: { id: 'system', name: 'system' }, state: 'accepted', why: '', attempts: 1 },
    ...{
      possible_repeats: 0,
      said: '202 Event processed',
      dedup_key: 'svc-01990000-0000-7000-8000-000000000094',
      external: null,
    },
    ...{ created_at: '2026-11-24T13:05:21.000Z', tried_at: '2026-11-24T13:05:22.000Z', next_at: null },
    ...{ expires_at: '2026-11-25T13:05:21.000Z', done_at: '2026-11-24T13:05:22.000Z' },
    ...more,
  };
};

export const countsOf = (more: Partial<OutboxCounts> = {}): OutboxCounts => ({
  ...{ waiting: 0, dead: 0, held_back: 0, sent: 0, possible_repeats: 0 },
  ...more,
});
