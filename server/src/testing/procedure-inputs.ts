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
  mark: string;
  /** Its policy, as it is read. */
  policy: { version: number };
}

const nothing = () => ({});

/**
 * An input for each procedure that names a tenant's belongings wherever it names anything: for the walls between tenants beside this file
 * and for the standing attack. A new procedure needs a line here.
 */
export const INPUTS: Readonly<Record<string, (tenant: Belongings) => object>> = {
  'audit.list': nothing,
  'audit.verify': nothing,
  'bus.quarantine.list': nothing,
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
  'savedViews.list': () => ({ page: 'fleet' }),
  'savedViews.create': () => ({ page: 'fleet', name: 'created', search: '', shared: true }),
  'savedViews.update': ({ savedView }) => ({ id: savedView, name: 'renamed' }),
  'savedViews.setDefault': ({ savedView }) => ({ page: 'fleet', id: savedView }),
  'savedViews.remove': ({ savedView }) => ({ id: savedView }),
  'otlpExport.status': nothing,
  'otlpExport.sendTestPoint': nothing,
};
