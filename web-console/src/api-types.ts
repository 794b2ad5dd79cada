import type { DeviceSeries, DeviceView, EndpointPage, FleetFilter, FleetSort, FleetSummary } from '@svc/contracts/endpoint-view';
import type { Permission, Role } from '@svc/contracts/permissions';
import type { Policy } from '@svc/contracts/policy';

/** What the console uses of the server's procedures; names as in the server's router, times RFC 3339. */
export interface Me {
  account: { id: string; name: string | null; email: string | null };
  tenant: { id: string; name: string; simulated: boolean };
  tenants: { id: string; name: string; simulated: boolean }[];
  roles: Role[];
  permissions: Permission[];
  kind: 'account' | 'api_token' | 'system';
  sign_out_path: string;
}

export interface Member {
  id: string;
  email: string | null;
  name: string | null;
  roles: Role[];
  /** Held through groups of the identity provider; changed there. */
  group_roles: Role[];
  created_at: string;
  last_seen_at: string | null;
  is_me: boolean;
}

export interface Invite {
  id: string;
  kind: string;
  roles: Role[];
  email: string | null;
  created_at: string;
  expires_at: string;
}

export interface ApiToken {
  id: string;
  name: string;
  roles: Role[];
  created_by: { id: string; name: string | null };
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

export interface SessionInfo {
  id: string;
  /** Browser and system in words. */
  client: string | null;
  tenant: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  current: boolean;
}

export interface AuditRecord {
  seq: string;
  id: string;
  at: string;
  actor: { kind: 'account' | 'api_token' | 'agent' | 'system'; id: string; name: string | null };
  action: string;
  object: { type: string; id: string; name: string | null } | null;
  detail: Record<string, string | number | boolean>;
  hash: string;
}

export interface AuditFilter {
  limit?: number;
  cursor?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  actor?: string | undefined;
  action?: string | undefined;
}

export interface Verification {
  ok: boolean;
  /** False while the walk goes on behind `next_cursor`. */
  complete: boolean;
  checked: number;
  head_seq: string;
  broken: { seq: string; id: string | null; reason: string } | null;
  next_cursor: string | null;
}

export interface EnrolToken {
  id: string;
  label: string | null;
  site: string | null;
  owner: string | null;
  uses: number;
  used: number;
  state: 'valid' | 'used_up' | 'expired' | 'revoked';
  expires_at: string;
  created_at: string;
  created_by: string;
  last_used_at: string | null;
}

export interface PickListEntry {
  id: string;
  label: string;
  operator: string;
  kind: 'trace' | 'session';
  target: string;
  why: string;
}

export interface FirstRun {
  chosen: boolean;
  trace_targets: string[];
  session_targets: string[];
  policy_version: number;
  devices: number;
  devices_reporting: number;
  pick_list: PickListEntry[];
}

export interface PolicyView {
  policy: Policy;
  chosen: boolean;
  changed_at: string | null;
}

export interface Disclosure {
  collected: { what: string; why: string; every_seconds: number | null }[];
  never: string[];
  withheld: string[];
  contacted: { target: string; why: string }[];
  policy_version: number;
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

type Nothing = Record<string, never>;
interface Window {
  id: string;
  from?: string;
  to?: string;
}
interface Ids {
  ids: string[];
}

/** name: [input, output] */
export interface Queries {
  'identity.me': [Nothing, Me];
  'identity.members.list': [Nothing, { items: Member[]; invites: Invite[] }];
  'identity.roles.list': [Nothing, { items: { role: Role; description: string; permissions: Permission[] }[] }];
  'identity.tokens.list': [Nothing, { items: ApiToken[] }];
  'identity.sessions.list': [Nothing, { items: SessionInfo[] }];
  'audit.list': [AuditFilter, Page<AuditRecord>];
  'audit.verify': [{ cursor?: string }, Verification];
  'endpoint.list': [{ filter: FleetFilter; sort: FleetSort; limit: number; offset: number }, EndpointPage];
  'endpoint.summary': [Nothing, FleetSummary];
  'endpoint.device': [Window, DeviceView];
  'endpoint.series': [Window & { metrics: string[]; points: number }, DeviceSeries];
  'fleet.enrolTokens.list': [Nothing, { items: EnrolToken[] }];
  'fleet.enrolCommand': [Nothing, { server: string; command: string; reachable: boolean }];
  'fleet.policy.get': [Nothing, PolicyView];
  'fleet.firstRun': [Nothing, FirstRun];
  'fleet.disclosure': [Nothing, Disclosure];
}

/** name: [input, output] */
export interface Mutations {
  'identity.members.invite': [{ roles: Role[]; email?: string }, { id: string; url: string; expires_at: string }];
  'identity.members.revokeInvite': [{ id: string }, unknown];
  'identity.members.setRoles': [{ id: string; roles: Role[] }, unknown];
  'identity.members.remove': [{ id: string }, unknown];
  'identity.tokens.mint': [
    { name: string; roles: Role[]; expires_in_days?: number },
    { id: string; secret: string; expires_at: string | null },
  ];
  'identity.tokens.revoke': [{ id: string }, unknown];
  'identity.sessions.revoke': [{ id: string }, unknown];
  'identity.switchTenant': [{ tenant: string }, unknown];
  'fleet.enrolTokens.create': [
    { label?: string; site?: string; owner?: string; uses: number; expires_in_hours: number },
    { token: string; command: string; enrol_token: EnrolToken },
  ];
  'fleet.enrolTokens.revoke': [{ id: string }, { changed: number }];
  'fleet.policy.set': [{ expected_version: number; policy: Omit<Policy, 'version'> }, PolicyView];
  'fleet.agents.rename': [{ id: string; name: string | null }, { changed: number }];
  'fleet.agents.setSite': [Ids & { site: string | null }, { changed: number }];
  'fleet.agents.setOwner': [Ids & { owner: string | null }, { changed: number }];
  'fleet.agents.retire': [Ids, { changed: number }];
  'fleet.agents.revoke': [Ids, { changed: number }];
  'fleet.runNow': [{ id: string }, { connected: boolean }];
}
