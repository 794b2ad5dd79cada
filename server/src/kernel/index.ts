export { copyBytes, webAssembly } from '@svc/bytes';
export { type AuditEntry, actorOf } from './audit-entry.ts';
export { isLoopback, isPostgresProtected, sendsLoginInClear } from './clear-text.ts';
export { type Clock, systemClock } from './clock.ts';
export {
  type ConfigFragment,
  type ConfigKey,
  type ConfigOf,
  configKey,
  type Environment,
  readFragment,
  Secret,
  secretKey,
} from './config.ts';
export {
  formatHostPort,
  type HostPort,
  isHost,
  parseBoolean,
  parseEmail,
  parseHost,
  parseHostPort,
  parseHttpsOrigin,
  parseInteger,
  parseKey32,
  parseList,
  parseNetwork,
  parseOneOf,
  parseText,
  parseUrl,
} from './config-parsers.ts';
export { countWithin } from './count-within.ts';
export { AppError, type Fault } from './errors.ts';
export { networkOf, siteOf } from './network-of.ts';
export { demandSecrets } from './notify/demand-secrets.ts';
export { hideQuery, keepQuery } from './notify/hide-query.ts';
export { gatherRows, refill } from './notify/pace.ts';
export type {
  Capabilities,
  Confirmation,
  Connection,
  Finding,
  Message,
  NativeReader,
  NativeReaders,
  NativeReading,
  NativeVerdict,
  ObjectNews,
  ObjectState,
  Outcome,
  Pace,
  Provider,
  Providers,
  Reference,
  SignedDelivery,
  ToldIncident,
} from './notify/port.ts';
export { splitUrl } from './notify/split-url.ts';
export { COUNTERS, type Count, type CountName, GAUGES, ingestCounts, tenantAttributes } from './own-metrics.ts';
export type { AgentIdentity, Ctx, Principal } from './principal.ts';
export { endOfReading, readUntil } from './reading-until.ts';
export {
  type ErasedRows,
  EVERY_ROLE,
  type GrpcMount,
  type HasRole,
  type Health,
  type KeptData,
  keepsNothing,
  keptData,
  type OwnedTables,
  type Role,
  type RowsOfTable,
  type Slice,
  type SliceData,
  type Subject,
} from './slice.ts';
export { startSlices } from './start-slices.ts';
export { createTally, type Tally, type TallyEntry } from './tally.ts';
export {
  type Address,
  covers,
  formatAddress,
  formatPrefix,
  isInManyPlaces,
  type Prefix,
  parseAddress,
  parseAnyPrefix,
  parsePrefix,
} from './targets/address.ts';
export { type Anchor, type Anchored, anchorsOf, canonicalTarget, isOfTarget } from './targets/anchors.ts';
export { findMatch } from './targets/match.ts';
export { isTenantId, parseTenantId, type TenantId } from './tenant.ts';
export { createNeighbours, createTenantTurns, type TenantTurns, type TenantTurnsOptions } from './tenant-turns.ts';
export { putThreadsBehind, standBehind } from './thread-priority.ts';
export { letThreadsChooseYoungHeap, youngHeap } from './v8-heap.ts';
