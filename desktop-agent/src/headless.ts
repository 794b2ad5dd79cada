/**
 * What the fleet simulator and other programs without a screen take from the agent: the real attribution, minimising, enrolment
 * and publishing. Nothing here keeps state of the process: every agent brings its own clock, spool and credentials.
 */
export { AgentError } from './agent-error.ts';
export { attribute, type Verdict } from './attribution/attribute.ts';
export { createLossWindow, type LossWindow } from './attribution/loss-window.ts';
export { createCauseChanges, isStillPresent, type Onset } from './attribution/onset.ts';
export type { Readings } from './attribution/readings.ts';
export { type DeviceFacts, type EnrollInput, enroll, type RenewInput, renew } from './identity/enroll.ts';
export { type Credentials, type Identity, needsRenewal } from './identity/identity.ts';
export { type Judged, type Judging, judge } from './measure/attribution-result.ts';
export {
  type AgentCost,
  costResult,
  gatewayResult,
  pathResult,
  resolverAbsent,
  resolverResult,
  type SessionRole,
  sessionResult,
  wifiResult,
} from './measure/results.ts';
export { createDeviceState, type DeviceState } from './measure/state/device-state.ts';
export { COLLECT_DEFAULTS, COLLECT_NOTHING, type Collect, strictest } from './privacy/collect.ts';
export {
  type Disclosure,
  type DisclosureItem,
  describeCollection,
  disclosureText,
  type LiveSettings,
} from './privacy/disclosure.ts';
export { type Minimised, minimise } from './privacy/minimise.ts';
export { type BackOffOptions, DEFAULT_BACK_OFF } from './publish/back-off.ts';
export { type EncodedBatch, encodeBatch } from './publish/batch-codec.ts';
export type { Ending } from './publish/ending.ts';
export { createLink, type Link, type LinkDeps, type LinkState } from './publish/link.ts';
export { decodeRecord, encodeRecord } from './publish/record.ts';
export type { Spool, SpoolStatus } from './publish/spool.ts';
export { openDiskSpool } from './publish/spool-disk.ts';
export { createMemorySpool } from './publish/spool-memory.ts';
export { type EndpointResult, fromWire, type Stamp, toWire } from './result.ts';
export type { IntervalsMs } from './settings.ts';
