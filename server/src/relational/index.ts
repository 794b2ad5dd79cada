export {
  createTenant,
  DIRECTORY_TABLES,
  findTenant,
  type Lease,
  listTenants,
  releaseLease,
  type TenantRow,
  takeLease,
} from './directory.ts';
export { type EmbeddedPostgres, embeddedUrls, type PostgresAccess, startEmbeddedPostgres } from './embedded.ts';
export { type ErasedTable, eraseTables } from './erase.ts';
export { type FollowedRows, followRows } from './followed-rows.ts';
export {
  assertFence,
  type Fence,
  type LeasedWork,
  type LeasedWorkOptions,
  startLeasedWork,
  visitTenants,
} from './leased-work.ts';
export { findMigrationsDir, findPendingMigrations, migrate } from './migrate.ts';
export { openRelational, type RelationalOptions } from './open.ts';
export { type PagedTable, readPages } from './pages.ts';
export { isDatabaseUnavailable, isUniqueViolation, toTransient } from './pool.ts';
export type { Relational, TenantDb, TenantSql } from './port.ts';
export { asSystem, type SystemDoor, startTenantRounds, type TenantRoundsOptions } from './tenant-rounds.ts';
