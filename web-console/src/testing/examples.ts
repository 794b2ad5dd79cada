import type { EndpointPage, EndpointRow, FleetSummary } from '@svc/contracts/endpoint/view';
import type { Permission } from '@svc/contracts/permissions';
import type { MapEdge, MapNode, Me, Topology } from '../api-types.ts';
import type { SavedViewList } from '../ui/views/saved-views.ts';
import type { Answers } from './fake-server.ts';

const now = (): string => new Date().toISOString();

export const fleetSummary = (more: Partial<FleetSummary> = {}): FleetSummary => ({
  ...{ total: 3, counts: [{ verdict: 'none', count: 3 }], slow_by_hour: Array.from({ length: 24 }, () => 0), shared: [] },
  ...{ healths: [{ health: 'healthy', count: 3 }], faults: [] },
  ...{ sites: ['Porto', 'Kraków'], os: ['linux'], agent_versions: ['1.4.0'] },
  ...{ collector_running: true, simulated: false, computed_at: now() },
  ...more,
});

const unread = { value: null, unavailable: null };
let devices = 0;

/** A healthy device on a cable. */
export const device = (name: string, more: Partial<EndpointRow> = {}): EndpointRow => {
  devices += 1;
  return {
    ...{ id: `00000000-0000-4000-8000-${String(devices).padStart(12, '0')}`, name, owner: null, site: 'Porto' },
    ...{ fault: null, coverage: null, flips: 0 },
    ...{ verdict: 'none', judged: null, summary: null, confidence: 1, verdict_since: now(), paused_until: null },
    ...{ strip_24h: Array.from({ length: 24 }, () => 'none' as const), connection: 'wired', wifi_rssi_dbm: unread },
    ...{ wifi_signal_percent: unread, gateway_rtt_ms: { value: 2, unavailable: null }, gateway_loss_ratio: unread },
    ...{ isp_rtt_ms: unread, isp_loss_ratio: unread, worst_session_ms: unread, worst_session_target: null },
    ...{ session_failures: null, gateway_address: null, os: 'linux', os_version: null, agent_version: '1.4.0', outdated: false },
    ...{ ring: 'main', state: 'running', face: 'window', missing_permissions: [], disclosure: null, simulated: false },
    ...{ enrolled_at: now(), last_contact_at: now() },
    ...more,
  };
};

export const devicePage = (items: EndpointRow[], more: Partial<EndpointPage> = {}): EndpointPage => ({
  ...{ items, matched: items.length, total: Math.max(items.length, 3), collector_running: true, computed_at: now(), ...more },
});

const READS: readonly Permission[] = ['agent.read', 'otlp.read'];

/** Somebody who may do what is given; of a tenant of simulated devices, so that no first run is asked about. */
export const me = (permissions: readonly Permission[] = READS): Me => {
  const tenant = { id: 'tenant-1', name: 'Acme', simulated: true };
  const account = { id: 'account-1', email: 'ana@example.com', name: 'Ana' };
  return { kind: 'account', account, tenant, roles: [], permissions: [...permissions], tenants: [tenant], sign_out_path: null };
};

/** What the shell asks on every page. */
export const shellAnswers: Answers = { 'identity.me': me(), 'endpoint.summary': fleetSummary() };

/** Of a page of which nobody saved a view. */
export const noViews: SavedViewList = { items: [], may_save: true, may_share: false, may_delete_any: false };

const measures = { calls: 100, rate: 1, p50_ms: 1, p95_ms: 1 };
export const mapNode = (name: string, more: Partial<MapNode> = {}): MapNode => ({
  ...{ ...measures, id: name, name, kind: 'service', errors: 0, error_ratio: 0, bytes_in: 0, bytes_out: 0, ...more },
});
export const mapEdge = (source: string, target: string, more: Partial<MapEdge> = {}): MapEdge => ({
  ...{ ...measures, source, target, kind: 'call', errors: 0, error_ratio: 0, bytes: 0, ...more },
});
export const serviceMap = (nodes: MapNode[], edges: MapEdge[]): Topology => ({
  ...{ from: now(), to: now(), computed_to: now(), spans: 1, gaps: [], nodes, edges },
});
