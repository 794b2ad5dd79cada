import type { FleetSummary } from '@svc/contracts/endpoint/view';
import type { Permission } from '@svc/contracts/permissions';
import type { MapEdge, MapNode, Me, Topology } from '../api-types.ts';
import type { Answers } from './fake-server.ts';

const now = (): string => new Date().toISOString();

export const fleetSummary = (more: Partial<FleetSummary> = {}): FleetSummary => ({
  ...{ total: 3, counts: [{ verdict: 'none', count: 3 }], slow_by_hour: Array.from({ length: 24 }, () => 0), shared: [] },
  ...{ sites: ['Porto', 'Kraków'], os: ['linux'], agent_versions: ['1.4.0'] },
  ...{ collector_running: true, simulated: false, computed_at: now() },
  ...more,
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
