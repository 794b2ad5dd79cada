import type { AuditRecord } from '../../api-types.ts';
import { formatMoment } from '../../ui/words/format.ts';

/** Every action of the trail in words, as the filter lists them: by what they are about, then as things go. */
export const ACTION_WORDS: Readonly<Record<string, string>> = {
  'member.invite': 'Member invited',
  'invite.revoke': 'Invitation withdrawn',
  'member.join': 'Member joined',
  'member.join_elsewhere': 'Member joined another tenant',
  'member.set_roles': 'Member given other roles',
  'member.set_group_roles': 'Member given roles by a group',
  'member.reset_password': 'Link for a new password created',
  'password.replace': 'Password replaced',
  'member.remove': 'Member removed',
  'claim.create': 'Administrator link created',
  'session.start': 'Signed in',
  'session.end': 'Signed out',
  'session.revoke': 'Session ended',
  'session.switch_tenant': 'Switched tenant',
  'api_token.mint': 'API token created',
  'api_token.revoke': 'API token revoked',
  'enrol_token.create': 'Enrol token created',
  'enrol_token.revoke': 'Enrol token revoked',
  'otlp_token.mint': 'OTLP token created',
  'otlp_token.revoke': 'OTLP token revoked',
  'agent.enrol': 'Device enrolled',
  'agent.rename': 'Device renamed',
  'agent.set_site': 'Device assigned to a site',
  'agent.set_owner': 'Device assigned to an owner',
  'agent.retire': 'Device retired',
  'agent.revoke': 'Device revoked',
  'rum_app.create': 'App of real users registered',
  'rum_app.update': 'App of real users changed',
  'rum_app.rotate': 'Key of an app of real users rotated',
  'rum_app.remove': 'App of real users removed',
  'runner_token.create': 'Token for runners created',
  'runner_token.revoke': 'Token for runners revoked',
  'runner.enrol': 'Runner enrolled',
  'runner.update': 'Runner changed',
  'runner.remove': 'Runner removed',
  'agent_policy.set': 'Policy changed',
  'incident.acknowledge': 'Incident acknowledged',
  'incident.resolve': 'Incident resolved',
  'incident.reopen': 'Incident opened again',
  'incident.assign': 'Incident assigned',
  'incident.comment': 'Incident commented on',
  'incident.set_severity': 'Severity of an incident set',
  'incident.merge': 'Incidents merged',
  'incident.remove_signal': 'Signal taken out of an incident',
  'incident_settings.set': 'Settings of incidents changed',
  'change.ingest': 'Changes received',
  'change.judge': 'Change judged for an incident',
  'change_webhook.create': 'Webhook of changes created',
  'change_webhook.rename': 'Webhook of changes renamed',
  'change_webhook.rotate': 'Secret of a webhook replaced',
  'change_webhook.set_targets': 'Targets of a webhook’s changes set',
  'change_webhook.delete': 'Webhook of changes deleted',
  'notify_connector.create': 'Connector added',
  'notify_connector.rename': 'Connector renamed',
  'notify_connector.rotate': 'Settings or credential of a connector replaced',
  'notify_connector.pause': 'Connector paused',
  'notify_connector.resume': 'Connector resumed',
  'notify_connector.test': 'Connector tested',
  'notify_connector.break': 'Connector stopped: its credential was refused',
  'notify_connector.delete': 'Connector deleted',
  'notify_rule.create': 'Rule of notifications created',
  'notify_rule.change': 'Rule of notifications changed',
  'notify_rule.delete': 'Rule of notifications deleted',
  'notify_message.retry': 'Message to a connector sent again',
  'notify_message.give_up': 'Message to a connector given up',
  'notify_inbound.create': 'Inbound webhook created',
  'notify_inbound.rename': 'Inbound webhook renamed',
  'notify_inbound.rotate': 'Secret of an inbound webhook replaced',
  'notify_inbound.delete': 'Inbound webhook deleted',
  'ai.query': 'Model asked about an incident',
  'mcp.query': 'Assistant read by MCP',
  'ai.author': 'Test proposed for a request',
  'ai.dismiss': 'Host dismissed from what could be tested',
  'ai.restore': 'Dismissal of a host taken back',
  'governance.set': 'Consent to ask a model elsewhere set',
  'saved_view.share': 'View shared',
  'saved_view.change': 'Shared view changed',
  'saved_view.unshare': 'View no longer shared',
  'saved_view.delete': 'Shared view deleted',
  'test.create': 'Test created',
  'test.update': 'Test changed',
  'test.pause': 'Test paused',
  'test.resume': 'Test resumed',
  'test.delete': 'Test deleted',
  'test.run': 'Test run on demand',
  'test.dry_run': 'Test tried out',
  'test_secret.set': 'Secret of tests set',
  'test_secret.remove': 'Secret of tests removed',
  'test_settings.set': 'Thresholds of tests changed',
  'maintenance.create': 'Maintenance window created',
  'maintenance.update': 'Maintenance window changed',
  'maintenance.remove': 'Maintenance window removed',
  'metrics_export.test': 'Test point of the export sent',
  'bus_message.open': 'Quarantined message opened',
  'bus_message.retry': 'Quarantined message retried',
  'bus_message.drop': 'Quarantined message dropped',
  'release.publish': 'Release published',
  'release.promote': 'Release promoted',
  'release.rollback': 'Release rolled back',
  'release.renew': 'Release renewed',
  'tenant.create': 'Tenant created',
  'audit.accept_head': 'End of the audit trail accepted',
  'subject.erase': 'Data of a person or device erased',
  'tenant.export': 'Export of the tenant begun',
  'tenant.exported': 'Tenant exported',
  'tenant.erase': 'Erasure of the tenant requested',
  'tenant.erased': 'Tenant erased',
  'audit.prune': 'Audit entries removed after their retention',
};

const NOUN_WORDS: Readonly<Record<string, string>> = {
  member: 'Anything about members',
  session: 'Anything about sessions',
  agent: 'Anything about devices',
  api_token: 'Anything about API tokens',
  enrol_token: 'Anything about enrol tokens',
  otlp_token: 'Anything about OTLP tokens',
  test: 'Anything about tests',
  release: 'Anything about releases',
  runner: 'Anything about runners',
  change: 'Anything about changes',
  change_webhook: 'Anything about webhooks of changes',
  runner_token: 'Anything about tokens for runners',
  notify_connector: 'Anything about connectors',
  notify_rule: 'Anything about rules of notifications',
  notify_message: 'Anything about messages to connectors',
  notify_inbound: 'Anything about inbound webhooks',
};

/** What the filter offers: one action each, then all actions of one noun. */
export const ACTION_CHOICES: readonly { value: string; label: string }[] = [
  ...Object.entries(ACTION_WORDS).map(([value, label]) => ({ value, label })),
  ...Object.entries(NOUN_WORDS).map(([value, label]) => ({ value, label })),
];

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `member.invite` as "Member invited"; an action of a newer server by its own name. The machine word stays in the tooltip. */
export const describeAction = (action: string): string =>
  ACTION_WORDS[action] ?? NOUN_WORDS[action] ?? capital(action.replaceAll(/[._]/g, ' '));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** An id as a person can distinguish it from its neighbours: short ones whole, long ones by their end. */
export const shortId = (id: string): string => (id.length > 20 ? `…${id.slice(-6)}` : id);

const OBJECT_WORDS: Readonly<Record<string, string>> = {
  access_link: 'invitation',
  account: 'person',
  agent: 'device',
  api_token: 'API token',
  change_webhook: 'webhook of changes',
  enrol_token: 'enrol token',
  notify_connector: 'connector',
  notify_rule: 'rule of notifications',
  notify_message: 'message to a connector',
  notify_inbound: 'inbound webhook',
  otlp_token: 'OTLP token',
  runner_token: 'token for runners',
};

export const objectWord = (type: string): string => OBJECT_WORDS[type] ?? type.replaceAll('_', ' ');

function describeValue(value: string | number): string {
  if (typeof value === 'number') return String(value);
  if (INSTANT.test(value)) return formatMoment(value, Date.now());
  return UUID.test(value) ? shortId(value) : value;
}
/** What a change replaced and with what: "from Lisbon to Porto", "to Porto, none before". */
export function describeChange(change: AuditRecord['change']): string {
  if (!change) return '';
  if (change.state === 'erased') return 'values erased';
  if (change.state === 'altered') return 'values altered in the database since';
  const { from, to } = change;
  if (from !== null && to !== null) return `from ${from} to ${to}`;
  return to === null ? `${from ?? 'none'} removed` : `to ${to}, none before`;
}

/** Details as "uses 5, expires at 22 Nov 16:54": keys in words, times in the viewer's zone. */
export const describeDetail = (detail: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(detail)
    // Enrolled "again" is worth a word; for the first time is what one expects. An empty text says nothing.
    .filter(([key, value]) => !(key === 'again' && value === false) && value !== '')
    .map(([key, value]) => {
      const words = key.replaceAll('_', ' ');
      if (typeof value === 'boolean') return value ? words : `not ${words}`;
      return `${words} ${describeValue(value)}`;
    })
    .join(', ');
