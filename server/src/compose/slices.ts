import type { Slice } from '#kernel';
import { composeCardinality, composeDiskShares, composeQuarantine } from './bounds.ts';
import { composeMcp } from './planes/assistants.ts';
import {
  composeEndpoint,
  composeEndpointIntake,
  composeFleet,
  composeLinkTest,
  composeReleases,
  composeResults,
  composeSampleRollUps,
} from './planes/devices.ts';
import { composeLogs, composeMetrics, composeTopology, composeTraces } from './planes/explorers.ts';
import { composeCauses, composeChanges, composeIncidents, composeModels, composeSignals } from './planes/incidents.ts';
import { composeOtlpExport, composeSelfMetrics } from './planes/metrics.ts';
import { composeNotify, composeNotifyInbound, composeNotifyRules } from './planes/notify.ts';
import { composeOtlp, composeOtlpStore, composeOtlpTokens } from './planes/otlp.ts';
import {
  composeAudit,
  composeGovernance,
  composeIdentity,
  composeLifecycle,
  composeSavedViews,
  composeSignIn,
} from './planes/people.ts';
import { composeProposals } from './planes/proposals.ts';
import { composeRunners } from './planes/runners.ts';
import { composeRum, composeRumViews, composeTestPages, composeTestRuns, composeTests } from './planes/synthetics.ts';
import type { Platform } from './platform.ts';

/**
 * Every slice, in the order in which they are made, mounted and started; they are closed in the reverse. What a slice needs of one that
 * comes later it may only ask for once all are there.
 */
const COMPOSED = {
  // First: it times the routes that come after its own.
  selfMetrics: composeSelfMetrics,
  // Before all that read or write the bus: they get it without erased tenants.
  lifecycle: composeLifecycle,
  quarantine: composeQuarantine,
  diskShares: composeDiskShares,
  audit: composeAudit,
  identity: composeIdentity,
  signIn: composeSignIn,
  results: composeResults,
  endpoint: composeEndpoint,
  endpointIntake: composeEndpointIntake,
  fleet: composeFleet,
  linkTest: composeLinkTest,
  releases: composeReleases,
  runners: composeRunners,
  logs: composeLogs,
  metrics: composeMetrics,
  topology: composeTopology,
  traces: composeTraces,
  savedViews: composeSavedViews,
  incidents: composeIncidents,
  signals: composeSignals,
  notify: composeNotify,
  notifyRules: composeNotifyRules,
  notifyInbound: composeNotifyInbound,
  changes: composeChanges,
  governance: composeGovernance,
  models: composeModels,
  causes: composeCauses,
  mcp: composeMcp,
  cardinality: composeCardinality,
  otlpStore: composeOtlpStore,
  otlpTokens: composeOtlpTokens,
  otlp: composeOtlp,
  sampleRollUps: composeSampleRollUps,
  otlpExport: composeOtlpExport,
  testRuns: composeTestRuns,
  testPages: composeTestPages,
  tests: composeTests,
  rumViews: composeRumViews,
  rum: composeRum,
  proposals: composeProposals,
};

export type Slices = { readonly [K in keyof typeof COMPOSED]: ReturnType<(typeof COMPOSED)[K]> };

/** Makes all slices of one product; the threads between them are tied in the file of the one that needs them. */
export function createSlices(platform: Platform): Slices {
  const slices: Record<string, Slice> = {};
  for (const [name, create] of Object.entries(COMPOSED)) slices[name] = create(platform, slices as unknown as Slices);
  return slices as unknown as Slices;
}
