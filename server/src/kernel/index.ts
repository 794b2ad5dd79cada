export { type AuditEntry, actorOf } from './audit-entry.ts';
export { type Clock, systemClock } from './clock.ts';
export { AppError, type Fault } from './errors.ts';
export type { AgentIdentity, Ctx, Principal } from './principal.ts';
export type { GrpcMount, Health, RowsOfTable, Slice } from './slice.ts';
export { isTenantId, parseTenantId, type TenantId } from './tenant.ts';
