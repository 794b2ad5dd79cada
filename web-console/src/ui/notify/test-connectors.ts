import type { Connector, ProviderForm } from '@svc/contracts/notify/connector';
import type { FormField } from '@svc/contracts/notify/form';
import type { InboundWebhook } from '@svc/contracts/notify/inbound';

/** A pager that answers. */
export const connectorOf = (name: string, more: Partial<Connector> = {}): Connector => ({
  ...{ id: `id-${name.toLowerCase().replaceAll(' ', '-')}`, provider: 'pager_a', provider_name: 'PagerDuty', name },
  ...{ source: 'console', is_missing: false, state: 'active', state_reason: '', state_by: null, state_at: null },
  ...{ settings: { url: 'https://events.pagerduty.com' }, secrets: ['credential'] },
  ...{ created_at: '2026-11-20T09:00:00.000Z', created_by: { id: 'ana', name: 'Ana' }, rotated_at: null },
  ...{
    last_success_at: '2026-11-24T13:05:00.000Z',
    last_answer: '202 Event processed',
    last_answer_at: '2026-11-24T13:05:00.000Z',
  },
  ...{ failing_since: null, next_try_at: null, sent_24h: 4, waiting: 0, dead: 0, p95_ms: 820 },
  abilities: { never_repeats: true, acknowledges: true, updates: false, confirms: true, comes_back: true },
  ...more,
});

const field = (name: string, label: string, more: Partial<FormField> = {}): FormField => ({
  ...{
    name,
    label,
    help: `What ${label} is.`,
    is_secret: false,
    is_required: false,
    fallback: null,
    choices: null,
    placeholder: '',
  },
  ...more,
});

/** An inbound webhook that brought something. */
export const inboundOf = (more: Partial<InboundWebhook> = {}): InboundWebhook => ({
  ...{ id: 'hook-1', provider: 'ticket_b', name: 'Service desk', source: 'console', connector: null },
  ...{ address: 'https://observe.example/ingest/itsm/ticket_b/hook-1', created_at: '2026-11-20T09:00:00.000Z' },
  ...{ created_by: { id: 'ana', name: 'Ana' }, rotated_at: null, overlap_until: null, deliveries: 3 },
  ...{ last_delivery_at: '2026-11-24T13:05:00.000Z', refusals: [] },
  ...more,
});

/** Those of three providers, as the server has them. */
export const FORMS: { items: ProviderForm[] } = {
  items: [
    {
      ...{ provider: 'pager_a', name: 'PagerDuty', test_warning: 'A test opens an alert: whoever is on call may be paged.' },
      fields: [
        field('url', 'Events API', { fallback: 'https://events.pagerduty.com' }),
        field('credential', 'Integration key', { is_secret: true, is_required: true }),
      ],
    },
    {
      ...{ provider: 'chat_a', name: 'Slack', test_warning: '' },
      fields: [
        field('url', 'Web API', { fallback: 'https://slack.com/api' }),
        field('credential', 'Bot token or webhook address', { is_secret: true, is_required: true }),
        field('channel', 'Channel'),
      ],
    },
    {
      ...{ provider: 'ticket_b', name: 'Jira', test_warning: '' },
      fields: [
        field('url', 'Site', { is_required: true }),
        field('credential', 'API token', { is_secret: true, is_required: true }),
        field('project', 'Project key', { is_required: true }),
        field('resolve_transition', 'Transition that resolves', { fallback: '31' }),
        field('history', 'May read', { fallback: 'yes', choices: ['yes', 'no'] }),
      ],
    },
  ],
};
