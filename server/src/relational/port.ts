import type { PoolClient } from 'pg';
import type { Health, TenantId } from '#kernel';
import type { Prisma } from './generated/client.ts';

/** A Prisma client inside one transaction in which row-level security sees exactly one tenant. */
export type TenantDb = Prisma.TransactionClient;
/** The same as a raw connection, for hot paths and SQL that Prisma cannot say. */
export type TenantSql = PoolClient;

/**
 * The relational store. Three doors, each one transaction with `app.tenant_id` set; the fourth (directory.ts) is the closed list of
 * what must be read before a tenant is known. Nothing else reaches the database.
 *
 * A transaction commits when `work` resolves and rolls back when it rejects; its error comes out as it is, while a database that
 * does not answer is AppError `unavailable`. Do not nest one inside another: each holds a connection of the same bounded pool.
 *
 * Each tenant has a share of the pool (shares.ts) and waits in its own line for it; `rate_limited` when that line is full.
 */
export interface Relational {
  withTenant<T>(tenant: TenantId, work: (db: TenantDb) => Promise<T>): Promise<T>;
  withTenantSql<T>(tenant: TenantId, work: (sql: TenantSql) => Promise<T>): Promise<T>;
  /**
   * The same on the system's connections, and never refused: for what nobody asked for (a consumer, periodic work), and for ending somebody's
   * access, which must not wait behind the very requests that it ends.
   */
  withSystemSql<T>(tenant: TenantId, work: (sql: TenantSql) => Promise<T>): Promise<T>;
  /** Calls one SECURITY DEFINER function `directory_<name>(...)` of the closed list and gives its rows. */
  directory<Row extends object>(name: string, args?: readonly unknown[]): Promise<Row[]>;
  /**
   * LISTEN on a channel; the callback gets the payload of each NOTIFY. An empty payload means "something may have been missed"
   * (the connection was lost and is back): read everything again. Returns an unlisten function.
   */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
  health(): Promise<Health>;
  close(): Promise<void>;
}
