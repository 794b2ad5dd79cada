import { systemClock } from '#kernel';
import { createCauses, createChangeEvidence, type EvidenceSources } from '../../features/causes/index.ts';
import { createChanges } from '../../features/changes/index.ts';
import { createIncidents, createSignals, type IncidentsDeps } from '../../features/incidents/index.ts';
import { createModels } from '../../features/models/index.ts';
import type { Platform } from '../platform.ts';
import type {
  Audit,
  Causes,
  Changes,
  Endpoint,
  Governance,
  Identity,
  Incidents,
  Logs,
  Models,
  Notify,
  Quarantine,
  Results,
  RumViews,
  TestPages,
  Topology,
  Traces,
} from '../threads.ts';
import { nameAll } from './notify.ts';

interface IncidentsThreads {
  audit: Pick<Audit, 'appendAudit'>;
  identity: Pick<Identity, 'nameActors' | 'listPeople'>;
  endpoint: Pick<Endpoint, 'listSharing'>;
  results: { queries: Pick<Results['queries'], 'causeStrip'> };
  causes: Pick<Causes, 'noteTransitions'>;
  notify: Pick<Notify, 'noteTransitions' | 'nameConnectors'>;
  /** Windows of maintenance are theirs, where they keep any. */
  tests: { name: string; heldBackBy?: IncidentsDeps['heldBackBy'] };
}

const depsOf = ({ stores, log }: Platform, slices: IncidentsThreads): IncidentsDeps => ({
  relational: stores.relational,
  appendAudit: slices.audit.appendAudit,
  nameActors: (tenant, ids) => nameAll(slices)(tenant, ids),
  // Made after this slice, asked once all are there.
  heldBackBy: async (tenant, what, at) => (await slices.tests.heldBackBy?.(tenant, what, at)) ?? null,
  listSharing: (tenant, place) => slices.endpoint.listSharing(tenant, place),
  listDevicesAt: async (tenant, place) =>
    (await slices.endpoint.listSharing(tenant, { ...place, cause: null })).map(({ id }) => id),
  readCauses: (tenant, query) => slices.results.queries.causeStrip(tenant, query),
  listPeople: (tenant) => slices.identity.listPeople(tenant, 'incident.write'),
  observers: [
    (sql, transitions) => slices.causes.noteTransitions(sql, transitions),
    (sql, transitions) => slices.notify.noteTransitions(sql, transitions),
  ],
  clock: systemClock,
  log,
});

export const composeIncidents = (platform: Platform, slices: IncidentsThreads) => createIncidents(depsOf(platform, slices));

/** The feed of signals, which has permissions and a name of its own. */
export const composeSignals = (platform: Platform, slices: IncidentsThreads) => createSignals(depsOf(platform, slices));

interface ChangesThreads {
  audit: Pick<Audit, 'appendAudit'>;
  identity: Pick<Identity, 'ensureTenant' | 'nameActors'>;
  quarantine: Pick<Quarantine, 'bus'>;
  incidents: Pick<Incidents, 'describeIncident'>;
  causes: Pick<Causes, 'noteJudged'>;
}

export const composeChanges = ({ config, stores, log }: Platform, slices: ChangesThreads) =>
  createChanges({
    relational: stores.relational,
    bus: slices.quarantine.bus,
    sealer: stores.sealer,
    appendAudit: slices.audit.appendAudit,
    ensureTenant: async (tenant) => void (await slices.identity.ensureTenant(tenant, { name: tenant, simulated: false })),
    nameActors: slices.identity.nameActors,
    describeIncident: slices.incidents.describeIncident,
    // Made after this slice, asked once all are there.
    noteJudged: (...judged) => slices.causes.noteJudged(...judged),
    configured: config.changes.webhooks?.reveal() ?? [],
    windowMs: config.changes.windowMs,
    publicUrl: config.publicUrl,
    clock: systemClock,
    log,
  });

interface ModelsThreads {
  governance: Pick<Governance, 'mayLeave' | 'whileConsented'>;
}

export const composeModels = ({ config, stores, outbound, log }: Platform, { governance }: ModelsThreads) =>
  createModels({
    relational: stores.relational,
    outbound,
    config: config.models,
    mayLeave: governance.mayLeave,
    whileConsented: governance.whileConsented,
    clock: systemClock,
    log,
  });

interface CausesThreads {
  audit: Pick<Audit, 'appendAudit'>;
  governance: Pick<Governance, 'mask'>;
  models: Pick<Models, 'ask' | 'describe'>;
  incidents: Pick<Incidents, 'explained'>;
  testPages: Pick<TestPages, 'evidence'>;
  topology: Pick<Topology, 'evidence'>;
  traces: Pick<Traces, 'evidence'>;
  logs: Pick<Logs, 'evidence'>;
  rumViews: Pick<RumViews, 'evidence'>;
  changes: Pick<Changes, 'candidatesOf' | 'changesOn'>;
}

export const composeCauses = ({ stores, log }: Platform, slices: CausesThreads) =>
  createCauses({
    relational: stores.relational,
    appendAudit: slices.audit.appendAudit,
    mask: slices.governance.mask,
    model: slices.models,
    readIncident: (tenant, of) => slices.incidents.explained(tenant, of),
    // Asked once all are there.
    sources: (): EvidenceSources => ({
      tests: slices.testPages.evidence,
      map: slices.topology.evidence,
      traces: slices.traces.evidence,
      logs: slices.logs.evidence,
      users: slices.rumViews.evidence,
      changes: createChangeEvidence(slices.changes),
    }),
    clock: systemClock,
    log,
  });
