import { splitHostPort } from '@svc/contracts/tests/target';
import { createTargetCheck } from '@svc/runner/check-target';
import { systemClock, type TenantId } from '#kernel';
import { authorTests, hideTargets } from '../../features/authoring/index.ts';
import { createProposals, type KnownNames, type Observation } from '../../features/proposals/index.ts';
import type { SeenTarget } from '../../features/results/seen-targets.ts';
import type { SeenPeer, SeenService } from '../../features/topology/seen-peers.ts';
import { findOwnHosts } from '../../process/own-hosts.ts';
import type { Platform } from '../platform.ts';
import type {
  Audit,
  Fleet,
  Governance,
  Incidents,
  Models,
  Results,
  Rum,
  Runners,
  TestRuns,
  Tests,
  Topology,
} from '../threads.ts';

export interface ProposalsThreads {
  audit: Pick<Audit, 'appendAudit'>;
  governance: Pick<Governance, 'mask'>;
  models: Pick<Models, 'ask' | 'describe'>;
  tests: Pick<Tests, 'read' | 'demandPatterns' | 'settingsOf'>;
  testRuns: Pick<TestRuns, 'queries'>;
  fleet: Pick<Fleet, 'findNamed'>;
  runners: Pick<Runners, 'facts'>;
  rum: Pick<Rum, 'queries'>;
  results: Pick<Results, 'seenTargets'>;
  topology: Pick<Topology, 'seenPeers' | 'seenServices'>;
  incidents: Pick<Incidents, 'targetsSince'>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Services are asked for in each request: the newest spans name them. */
const LATELY_MS = 15 * MINUTE_MS;
/** What was called or measured within a day, and what hurt within a month. */
const RECENT_DAYS = 30;

const peersOf = ({ topology }: ProposalsThreads, tenant: TenantId, nowMs: number) => {
  const to = Math.floor(nowMs / MINUTE_MS);
  return topology.seenPeers(tenant, { from: to - DAY_MS / MINUTE_MS, to });
};

/** Names that requests may use: of the tenant's tests, its apps of real users, its services and whom they call, its runners. */
async function knownNames(slices: ProposalsThreads, tenant: TenantId): Promise<KnownNames> {
  const nowMs = systemClock.now();
  const [{ list }, facts, apps, services, peers] = await Promise.all([
    slices.tests.read(tenant),
    slices.runners.facts(tenant),
    slices.rum.queries.apps(tenant),
    slices.topology.seenServices(tenant, nowMs - LATELY_MS),
    peersOf(slices, tenant, nowMs),
  ]);
  const answering = Map.groupBy(services, ({ service }) => service);
  return {
    tests: list.map(({ name, type, target }) => ({ name, type, target })),
    places: [
      ...apps.map(({ name, hosts }) => ({ name, kind: 'app' as const, hosts })),
      ...[...answering].map(([name, of]) => ({ name, kind: 'service' as const, hosts: of.map(({ host }) => host) })),
      // Whoever types a name with a dot typed the host itself.
      ...peers.flatMap(({ target }) => {
        const host = splitHostPort(target)?.host ?? '';
        return host === '' || host.includes('.') || host.includes(':')
          ? []
          : [{ name: host, kind: 'host' as const, hosts: [target] }];
      }),
    ],
    runners: facts.map(({ id, name, labels, site }) => ({ id, name, labels, ...(site === undefined ? {} : { site }) })),
  };
}

/** A device is asked by what it calls itself, where that can be a host's name. */
async function findDevices(
  { fleet }: ProposalsThreads,
  tenant: TenantId,
  names: readonly string[],
): Promise<KnownNames['places']> {
  const devices = await fleet.findNamed(tenant, names);
  return devices.flatMap(({ name, host }) => {
    const hosts = host !== null && /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/.test(host) ? [host.toLowerCase()] : [];
    return [...new Set([name, host ?? name])].map((one) => ({ name: one, kind: 'host' as const, hosts }));
  });
}

/** Hosts of certificates that end within what the tenant is warned of. */
async function observeCertificates(
  { tests, testRuns }: ProposalsThreads,
  tenant: TenantId,
  nowMs: number,
): Promise<Observation[]> {
  const { certificate_warning_days: days } = await tests.settingsOf(tenant);
  const ending = await testRuns.queries.certificatesEnding(tenant, nowMs + days * DAY_MS);
  return ending.flatMap(({ endsMs, names }) =>
    names.map((target): Observation => {
      const left = Math.floor((endsMs - nowMs) / DAY_MS);
      return { source: 'certificate', target, count: 1, failed: left < 0 ? 1 : 0, days: left };
    }),
  );
}

const ofSessions = ({ target, address, port, devices, failed, unresolved }: SeenTarget): Observation[] => [
  { source: 'sessions', target: `${port === 80 ? 'http' : 'https'}://${target}`, count: devices, failed },
  ...(unresolved > 0 ? [{ source: 'names' as const, target: address, count: devices, failed: unresolved }] : []),
];

function ofPeer({ target, calls, errors }: SeenPeer): Observation {
  const parts = splitHostPort(target);
  return { source: 'map', target: parts?.host ?? target, port: parts?.port, count: calls, failed: errors };
}

function ofService({ service, host, port, scheme, calls, errors }: SeenService): Observation {
  const at = `${host.includes(':') ? `[${host}]` : host}${port > 0 ? `:${port}` : ''}`;
  const isWeb = scheme === 'http' || scheme === 'https';
  const where = isWeb ? { target: `${scheme}://${at}/` } : { target: host, port: port > 0 ? port : undefined };
  return { source: 'map', ...where, count: calls, failed: errors, service };
}

/** What every plane saw of hosts. */
export async function observe(slices: ProposalsThreads, tenant: TenantId): Promise<Observation[]> {
  const nowMs = systemClock.now();
  const [sessions, peers, services, incidents, apps, certificates] = await Promise.all([
    slices.results.seenTargets(tenant, nowMs - DAY_MS),
    peersOf(slices, tenant, nowMs),
    slices.topology.seenServices(tenant, nowMs - LATELY_MS),
    slices.incidents.targetsSince(tenant, new Date(nowMs - RECENT_DAYS * DAY_MS)),
    slices.rum.queries.apps(tenant),
    observeCertificates(slices, tenant, nowMs),
  ]);
  return [
    ...sessions.flatMap(ofSessions),
    ...peers.map(ofPeer),
    ...services.map(ofService),
    ...incidents.map(({ target, count }): Observation => ({ source: 'incident', target, count, failed: count })),
    ...apps.flatMap(({ hosts }) => hosts.map((host): Observation => ({ source: 'users', target: host, count: 1, failed: 0 }))),
    ...certificates,
  ];
}

export const composeProposals = ({ config, stores, log }: Platform, slices: ProposalsThreads) =>
  createProposals({
    relational: stores.relational,
    appendAudit: slices.audit.appendAudit,
    authorTests,
    hideTargets,
    model: slices.models,
    mask: slices.governance.mask,
    knownNames: (tenant) => knownNames(slices, tenant),
    knownTests: async (tenant) => (await slices.tests.read(tenant)).list,
    devicesNamed: (tenant, names) => findDevices(slices, tenant, names),
    observe: (tenant) => observe(slices, tenant),
    refuseHost: createTargetCheck({ allow: config.runners.targetsAllow, ...findOwnHosts(config) }),
    demandPatterns: (spec) => slices.tests.demandPatterns(spec),
    clock: systemClock,
    log,
  });
