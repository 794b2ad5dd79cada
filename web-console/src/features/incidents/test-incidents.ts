import type { Incident, IncidentView } from '@svc/contracts/incidents/incident';
import type { Signal } from '@svc/contracts/incidents/signal';
import type { IncidentNotice } from '@svc/contracts/notify/outbox';

const AT = '2026-11-24T14:05:24.000Z';

export const incidentOf = (more: Partial<Incident>): Incident => ({
  ...{ id: '01990000-0000-7000-8000-000000000094', number: 94, tenant_id: 'tenant-1', status: 'open', severity: 'warning' },
  ...{ severity_set_by: null, title: 'Shop home fails from Berlin', target: 'shop.example', prefix: null, site: 'Berlin' },
  ...{ started_at: '2026-11-24T14:03:18.000Z', opened_at: AT, last_seen_at: '2026-11-24T14:14:00.000Z' },
  ...{ acknowledged_at: null, acknowledged_by: null, assigned_to: null, resolved_at: null, resolved_by: null },
  ...{ signal_count: 1, open_signal_count: 1, planes: ['tests'] },
  ...more,
});

export const signalOf = (more: Partial<Signal>): Signal => ({
  ...{ id: '01990000-0000-7000-8000-000000000001', plane: 'tests', kind: 'test.failing', severity: 'warning' },
  ...{ title: 'Shop home fails from Berlin', summary: 'The TLS handshake takes 3.1 s.', target: 'shop.example', prefix: null },
  ...{ site: 'Berlin', attributes: {}, occurred_at: AT, last_seen_at: AT, recovered_at: null, held_back: null },
  ...{ incident_id: null, joined_by: 'opened' },
  ...more,
});

export const viewOf = (more: Partial<IncidentView> = {}): IncidentView => {
  const signal = signalOf({});
  return {
    incident: incidentOf({}),
    sentence: 'TLS handshakes to the shop take 3.1 s from Berlin since 14:03.',
    signals: [signal],
    entries: [{ id: 'e1', at: AT, kind: 'opened', actor: null, signal_id: signal.id, detail: 'opened' }],
    affected: [],
    related: [],
    auto_resolve_minutes: 15,
    ...more,
  };
};

/** Of a pager that was told. */
export const noticeOf = (more: Partial<IncidentNotice> = {}): IncidentNotice => ({
  ...{ connector: { id: 'p', name: 'PagerDuty', provider: 'pager_a' }, state: 'open', external: null },
  ...{ told_at: '2026-11-24T14:03:00.000Z', told: 'sent', acknowledged_at: null, acknowledged_there_by: null },
  ...{ resolved_at: null, is_origin: false, open_message: null, note: '', possible_repeats: 0 },
  ...more,
});
