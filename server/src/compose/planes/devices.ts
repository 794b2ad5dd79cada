import { formatHostPort, systemClock } from '#kernel';
import { createEndpoint } from '../../features/endpoint/index.ts';
import { createEndpointIntake } from '../../features/endpoint-intake/index.ts';
import { createFleet } from '../../features/fleet/index.ts';
import { createLinkTest } from '../../features/link-test/index.ts';
import { createReleases } from '../../features/releases/index.ts';
import { createResults } from '../../features/results/index.ts';
import { createSampleRollUps } from '../../features/results/roll-up-samples.ts';
import { findReachableAddress } from '../../process/reachable-address.ts';
import type { Platform } from '../platform.ts';
import type {
  Audit,
  Cardinality,
  DiskShares,
  Endpoint,
  EndpointIntake,
  Fleet,
  Identity,
  Incidents,
  Quarantine,
  Results,
  SelfMetrics,
} from '../threads.ts';

interface ResultsThreads {
  quarantine: Pick<Quarantine, 'bus'>;
  selfMetrics: Pick<SelfMetrics, 'telemetry'>;
  endpointIntake: Pick<EndpointIntake, 'noteStored'>;
  cardinality: Pick<Cardinality, 'noteTargets'>;
}

export const composeResults = ({ log }: Platform, slices: ResultsThreads) =>
  createResults({
    bus: slices.quarantine.bus,
    telemetry: slices.selfMetrics.telemetry,
    clock: systemClock,
    log,
    onStored: (tenant, count) => slices.endpointIntake.noteStored(tenant, count),
    noteTargets: (tenant, beyond) => slices.cardinality.noteTargets(tenant, beyond),
  });

interface EndpointThreads {
  diskShares: Pick<DiskShares, 'bus'>;
  selfMetrics: Pick<SelfMetrics, 'telemetry'>;
  results: Pick<Results, 'queries' | 'toCanonical'>;
  endpointIntake: Pick<EndpointIntake, 'noteViewed'>;
  incidents: Pick<Incidents, 'settle'>;
}

export const composeEndpoint = ({ stores, log }: Platform, slices: EndpointThreads) =>
  createEndpoint({
    relational: stores.relational,
    bus: slices.diskShares.bus,
    results: slices.results.queries,
    toCanonical: slices.results.toCanonical,
    series: slices.selfMetrics.telemetry.series,
    onViewed: (tenant, count) => slices.endpointIntake.noteViewed(tenant, count),
    settle: (tenant, scope, present) => slices.incidents.settle(tenant, scope, present),
    clock: systemClock,
    log,
  });

interface IntakeThreads {
  diskShares: Pick<DiskShares, 'bus'>;
  fleet: Pick<Fleet, 'noteContact' | 'receiptSigner'>;
}

export const composeEndpointIntake = ({ log }: Platform, slices: IntakeThreads) =>
  createEndpointIntake({
    bus: slices.diskShares.bus,
    noteContact: (agent) => slices.fleet.noteContact(agent),
    receiptSigner: (tenant) => slices.fleet.receiptSigner(tenant),
    clock: systemClock,
    log,
  });

interface FleetThreads {
  audit: Pick<Audit, 'appendAudit'>;
  endpoint: Pick<Endpoint, 'writeAgentCopies' | 'removeAgentCopies' | 'readShared'>;
  identity: Pick<Identity, 'describeTenant'>;
}

export function composeFleet({ config, stores, tls, log }: Platform, { audit, endpoint, identity }: FleetThreads) {
  const { serverUrl, grpcAddr, isReachable } = findReachableAddress(config);
  return createFleet({
    relational: stores.relational,
    sealer: stores.sealer,
    appendAudit: audit.appendAudit,
    writeAgentCopies: endpoint.writeAgentCopies,
    removeAgentCopies: endpoint.removeAgentCopies,
    describeTenant: identity.describeTenant,
    readShared: endpoint.readShared,
    log,
    clock: systemClock,
    serverUrl,
    reachable: isReachable,
    grpcAddr: formatHostPort(grpcAddr),
    grpcCa: tls.ca ?? '',
    pin: tls.pin,
    seedTargets: { trace: config.endpoint.traceTargets, session: config.endpoint.sessionTargets },
    enrollRatePerMinute: config.enrolment.enrollRatePerMin,
  });
}

export const composeLinkTest = ({ log }: Platform) => createLinkTest({ clock: systemClock, log });

export const composeReleases = ({ config, stores }: Platform) =>
  createReleases({ blobs: stores.blobs, ratePerMinute: config.releases.ratePerMin });

export const composeSampleRollUps = (
  { stores, log }: Platform,
  { selfMetrics }: { selfMetrics: Pick<SelfMetrics, 'telemetry'> },
) => createSampleRollUps({ relational: stores.relational, series: selfMetrics.telemetry.series, log });
