import { encodeHelpdeskCode } from '@svc/contracts/agent/helpdesk-code';

/** What a tenant owns and another one may neither see nor touch. */
export interface Belongings {
  account: string;
  agent: string;
  token: string;
  invite: string;
  enrolToken: string;
  otlpToken: string;
  trace: string;
  /** Shared with its tenant. */
  savedView: string;
  test: string;
  /** Another one: the first may be gone. */
  otherTest: string;
  testSecret: string;
  /** Sends beacons; its name is the mark. */
  rumApp: string;
  /** Of maintenance. */
  window: string;
  runner: string;
  runnerToken: string;
  incident: string;
  otherIncident: string;
  /** In that incident. */
  signal: string;
  webhook: string;
  change: string;
  connector: string;
  /** Of notifications. */
  rule: string;
  /** To a connector. */
  message: string;
  /** A webhook of a paging system. */
  inbound: string;
  mark: string;
  /** Its policy, as it is read. */
  policy: { version: number };
}

const nothing = () => ({});
const maintenance = (name: string) => ({
  ...{ name, zone: 'UTC', scope: { kind: 'target', target: 'tested.example' } },
  times: { repeat: 'weekly', weekdays: [1], from: '01:00', duration_minutes: 60 },
});
const aDay = () => ({ from: new Date(Date.now() - 86_400_000).toISOString(), to: new Date().toISOString() });
/** Of an address that outgoing calls refuse: nothing leaves. */
const aPager = { url: 'https://127.0.0.1:9', credential: '0123456789abcdef0123456789abcdef' };
const aRule = () => ({
  ...{ severity: 'info', planes: [], targets: [], sites: [], schedule: null, delay_seconds: 0, quiet: null, connectors: [] },
});
const tested = (name: string) => ({ name, type: 'tcp', target: 'tested.example:443', enabled: false });

/**
 * An input for each procedure that names a tenant's belongings wherever it names anything: for the walls between tenants beside this file
 * and for the standing attack. A new procedure needs a line here.
 */
export const INPUTS: Readonly<Record<string, (tenant: Belongings) => object>> = {
  'audit.list': nothing,
  'audit.verify': nothing,
  'bus.quarantine.list': nothing,
  'causes.get': ({ incident }) => ({ id: incident }),
  'causes.preview': ({ incident }) => ({ id: incident }),
  'causes.ask': ({ incident }) => ({ id: incident, version: 1 }),
  'ai.discover': nothing,
  'ai.dismiss': () => ({ host: 'tested.example' }),
  'ai.restore': () => ({ host: 'tested.example' }),
  'ai.author': () => ({ prompt: 'ping tested.example every 30 s', author: 'heuristic' }),
  'governance.get': nothing,
  'cardinality.overflows': nothing,
  'endpoint.list': ({ mark }) => ({ filter: { search: mark } }),
  'endpoint.summary': nothing,
  'endpoint.csv': nothing,
  'endpoint.latest': nothing,
  'endpoint.device': ({ agent }) => ({ id: agent }),
  'endpoint.series': ({ agent }) => ({ id: agent, metrics: ['svc_endpoint_wifi_rssi_dbm'] }),
  'endpoint.history': ({ agent }) => ({ id: agent }),
  'endpoint.findByCode': ({ agent }) => ({ code: encodeHelpdeskCode(agent, Date.now()) }),
  'fleet.enrolTokens.list': nothing,
  'fleet.enrolTokens.create': () => ({ uses: 1 }),
  'fleet.enrolTokens.revoke': ({ enrolToken }) => ({ id: enrolToken }),
  'fleet.enrolCommand': nothing,
  'fleet.policy.get': nothing,
  'fleet.policy.set': ({ policy: { version, ...policy } }) => ({ expected_version: version, policy }),
  'fleet.firstRun': nothing,
  'fleet.disclosure': nothing,
  'fleet.agents.rename': ({ agent }) => ({ id: agent, name: 'renamed' }),
  'fleet.agents.setSite': ({ agent }) => ({ ids: [agent], site: 'elsewhere' }),
  'fleet.agents.setOwner': ({ agent }) => ({ ids: [agent], owner: 'new@owner.test' }),
  'fleet.agents.retire': ({ agent }) => ({ ids: [agent] }),
  'fleet.agents.revoke': ({ agent }) => ({ ids: [agent] }),
  'fleet.runNow': ({ agent }) => ({ id: agent }),
  'identity.me': nothing,
  'identity.tenant': nothing,
  'identity.switchTenant': () => ({ tenant: 'acme' }),
  'identity.members.list': nothing,
  'identity.members.setRoles': ({ account }) => ({ id: account, roles: ['viewer', 'admin'] }),
  'identity.members.invite': () => ({ roles: ['viewer'] }),
  'identity.members.revokeInvite': ({ invite }) => ({ id: invite }),
  'identity.members.resetPassword': ({ account }) => ({ id: account }),
  'identity.members.remove': ({ account }) => ({ id: account }),
  'identity.tokens.list': nothing,
  'identity.tokens.mint': () => ({ name: 'minted', roles: ['viewer'] }),
  'identity.tokens.revoke': ({ token }) => ({ id: token }),
  'identity.roles.list': nothing,
  'identity.sessions.list': nothing,
  'identity.sessions.revoke': () => ({ id: 'not-mine' }),
  'incidents.list': ({ mark }) => ({ search: mark }),
  'incidents.get': ({ incident }) => ({ id: incident }),
  'incidents.devices': ({ incident }) => ({ id: incident, from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' }),
  'incidents.pulse': nothing,
  'incidents.people': nothing,
  'incidents.acknowledge': ({ incident }) => ({ id: incident }),
  'incidents.resolve': ({ incident }) => ({ id: incident }),
  'incidents.reopen': ({ incident }) => ({ id: incident }),
  'incidents.comment': ({ incident }) => ({ id: incident, text: 'mine now' }),
  'incidents.assign': ({ incident, account }) => ({ id: incident, account }),
  'incidents.setSeverity': ({ incident }) => ({ id: incident, severity: 'info' }),
  'incidents.merge': ({ incident, otherIncident }) => ({ id: otherIncident, into: incident }),
  'incidents.removeSignal': ({ incident, signal }) => ({ id: incident, signal }),
  'incidents.settings.get': nothing,
  'incidents.settings.set': () => ({ auto_resolve_minutes: 5, edge_failing: true }),
  'changes.list': ({ mark }) => ({ search: mark }),
  'changes.get': ({ change }) => ({ id: change }),
  'changes.facets': nothing,
  'changes.marks': ({ mark }) => ({ targets: [`${mark}.test`], ...aDay() }),
  'changes.ofIncident': ({ incident }) => ({ id: incident }),
  'changes.judge': ({ incident, change }) => ({ id: incident, change, verdict: 'cause' }),
  'changes.webhooks.list': nothing,
  'changes.webhooks.get': ({ webhook }) => ({ id: webhook }),
  'changes.webhooks.preview': ({ webhook }) => ({ id: webhook, rules: [] }),
  'changes.webhooks.create': () => ({ provider: 'generic', name: 'created' }),
  'changes.webhooks.rename': ({ webhook }) => ({ id: webhook, name: 'renamed' }),
  'changes.webhooks.rotate': ({ webhook }) => ({ id: webhook }),
  'changes.webhooks.setTargets': ({ webhook }) => ({ id: webhook, rules: [] }),
  'changes.webhooks.remove': ({ webhook }) => ({ id: webhook }),
  'notify.connectors.list': nothing,
  'notify.connectors.get': ({ connector }) => ({ id: connector }),
  'notify.connectors.forms': nothing,
  'notify.connectors.create': () => ({ provider: 'pager_a', name: 'created', values: aPager }),
  'notify.connectors.rename': ({ connector }) => ({ id: connector, name: 'renamed' }),
  'notify.connectors.change': ({ connector }) => ({ id: connector, values: aPager }),
  'notify.connectors.pause': ({ connector }) => ({ id: connector }),
  'notify.connectors.resume': ({ connector }) => ({ id: connector }),
  'notify.connectors.check': () => ({ provider: 'pager_a', values: aPager }),
  'notify.connectors.test': ({ connector }) => ({ id: connector }),
  'notify.connectors.remove': ({ connector }) => ({ id: connector }),
  'notifyRules.list': nothing,
  'notifyRules.create': () => ({ ...aRule(), name: 'created' }),
  'notifyRules.change': ({ rule }) => ({ ...aRule(), id: rule, name: 'changed' }),
  'notifyRules.remove': ({ rule }) => ({ id: rule }),
  'notifyRules.preview': () => aRule(),
  'notify.outbox.list': ({ incident }) => ({ incident }),
  'notify.outbox.retry': ({ message }) => ({ id: message }),
  'notify.outbox.giveUp': ({ message }) => ({ id: message }),
  'notify.pulse': nothing,
  'notify.ofIncident': ({ incident }) => ({ id: incident }),
  'notifyInbound.list': nothing,
  'notifyInbound.get': ({ inbound }) => ({ id: inbound }),
  'notifyInbound.create': () => ({ provider: 'pager_a', name: 'created' }),
  'notifyInbound.rename': ({ inbound }) => ({ id: inbound, name: 'renamed' }),
  'notifyInbound.rotate': ({ inbound }) => ({ id: inbound }),
  'notifyInbound.remove': ({ inbound }) => ({ id: inbound }),
  'signals.list': ({ incident }) => ({ incident }),
  'lifecycle.eraseSubject': ({ agent }) => ({ agent }),
  // By another tenant's admin it would erase the attacker's own tenant: the ID of the victim is refused there.
  'lifecycle.eraseTenant': () => ({ confirm: 'acme' }),
  'logs.list': ({ mark }) => ({ text: mark }),
  'logs.record': () => ({ id: 'MS4xLjEuMQ' }),
  'logs.histogram': nothing,
  'logs.facets': nothing,
  'logs.tail': nothing,
  'logs.context': () => ({ id: 'MS4xLjEuMQ' }),
  'traces.list': nothing,
  'traces.spans': nothing,
  'traces.scatter': nothing,
  'traces.latency': nothing,
  'traces.facets': nothing,
  'traces.values': () => ({ key: 'mark' }),
  'traces.get': ({ trace }) => ({ id: trace }),
  'traces.span': ({ trace }) => ({ id: trace, span: trace.slice(16) }),
  'traces.logs': ({ trace }) => ({ id: trace }),
  'traces.otlp': ({ trace }) => ({ id: trace }),
  'metrics.names': nothing,
  'metrics.labels': ({ mark }) => ({ metric: mark }),
  'metrics.values': ({ mark }) => ({ metric: mark, label: 'mark' }),
  'metrics.range': ({ mark }) => ({ metric: mark }),
  'metrics.rangeByUrl': ({ mark }) => ({ metric: mark }),
  'metrics.exemplars': ({ mark }) => ({ metric: mark }),
  'topology.map': nothing,
  'otlp.tokens.list': nothing,
  'otlp.tokens.mint': () => ({ name: 'minted' }),
  'otlp.tokens.revoke': ({ otlpToken }) => ({ id: otlpToken }),
  'otlp.status': nothing,
  'otlp.refusals': nothing,
  'rum.overview': ({ mark }) => ({ search: mark }),
  'rum.host': ({ mark }) => ({ app: mark, host: 'tested.example' }),
  'rum.ofHosts': () => ({ hosts: ['tested.example'] }),
  'rum.apps.list': nothing,
  'rum.apps.create': () => ({ name: 'created' }),
  'rum.apps.update': ({ rumApp }) => ({ id: rumApp, rate_per_min: 1 }),
  'rum.apps.rotate': ({ rumApp }) => ({ id: rumApp }),
  'rum.apps.remove': ({ rumApp }) => ({ id: rumApp }),
  'runners.list': nothing,
  'runners.createToken': () => ({ name: 'created' }),
  'runners.listTokens': nothing,
  'runners.revokeToken': ({ runnerToken }) => ({ id: runnerToken }),
  'runners.update': ({ runner }) => ({ id: runner, name: 'renamed' }),
  'runners.remove': ({ runner }) => ({ id: runner }),
  'savedViews.list': () => ({ page: 'fleet' }),
  'savedViews.create': () => ({ page: 'fleet', name: 'created', search: '', shared: true }),
  'savedViews.update': ({ savedView }) => ({ id: savedView, name: 'renamed' }),
  'savedViews.setDefault': ({ savedView }) => ({ page: 'fleet', id: savedView }),
  'savedViews.remove': ({ savedView }) => ({ id: savedView }),
  'otlpExport.status': nothing,
  'otlpExport.sendTestPoint': nothing,
  'tests.list': ({ mark }) => ({ search: mark }),
  'tests.get': ({ test }) => ({ id: test }),
  'tests.specs': nothing,
  'tests.runs': ({ test }) => ({ id: test }),
  'tests.run': ({ test, otherTest }) => ({ id: test, result_id: otherTest }),
  'tests.screenshot': ({ test, otherTest }) => ({ id: test, result_id: otherTest }),
  'tests.strip': ({ test }) => ({ id: test, ...aDay() }),
  'tests.series': ({ test }) => ({ id: test, ...aDay() }),
  'tests.csv': ({ mark }) => ({ search: mark }),
  'tests.runsCsv': ({ test }) => ({ id: test }),
  'tests.progress': ({ test }) => ({ run_id: test }),
  'tests.runNow': ({ test }) => ({ id: test }),
  'tests.dryRun': () => ({ test: tested('tried'), runners: ['nobody'] }),
  'tests.runByUrl': ({ otherTest }) => ({ id: otherTest, runner: 'nobody' }),
  'tests.dryRunByUrl': () => ({ ...tested('tried'), try_on: ['nobody'] }),
  'tests.create': () => ({ test: tested('created') }),
  'tests.update': ({ test }) => ({ id: test, version: 1, test: tested('changed') }),
  'tests.setEnabled': ({ test }) => ({ ids: [test], enabled: true }),
  'tests.applyAll': () => ({ tests: [tested('applied')] }),
  'tests.createByUrl': () => tested('created too'),
  'tests.updateByUrl': ({ otherTest }) => ({ id: otherTest, ...tested('changed too') }),
  'tests.remove': ({ test }) => ({ ids: [test] }),
  'tests.removeByUrl': ({ otherTest }) => ({ id: otherTest }),
  'tests.secrets.list': nothing,
  'tests.secrets.set': () => ({ name: 'set', hosts: ['tested.example'], value: 'hidden' }),
  'tests.secrets.remove': ({ testSecret }) => ({ name: testSecret }),
  'tests.maintenance.list': nothing,
  'tests.maintenance.create': () => maintenance('created'),
  'tests.maintenance.update': ({ window }) => ({ id: window, ...maintenance('changed') }),
  'tests.maintenance.remove': ({ window }) => ({ id: window }),
  'tests.settings.get': nothing,
  'tests.settings.set': () => ({
    ...{ failing_after: 2, certificate_warning_days: 30, certificate_critical_days: 5 },
    ...{ not_running_intervals: 3, not_running_minutes: 5 },
  }),
};
