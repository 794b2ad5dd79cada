import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { AppError, type Health, parseTenantId, type TenantId } from '#kernel';
import { NotificationListener } from './listen.ts';
import { createPool, isDiskFull, translateDatabaseError } from './pool.ts';
import type { Relational, TenantDb, TenantSql } from './port.ts';
import { openPrisma } from './prisma.ts';
import { createPoolTurns } from './shares.ts';

export interface RelationalOptions {
  /** Connection URL of the app role (svc_app or a member of it): no superuser, no BYPASSRLS. */
  appUrl: string;
  log: FastifyBaseLogger;
  /** Connections of this process at most; one more serves LISTEN. Default 10. */
  poolSize?: number;
}

/** What wants to be written may be seldom: a full disk is told for so long after the last change that it refused. */
const DISK_FULL_SHOWN_MS = 60_000;
const DIRECTORY_NAME = /^[a-z][a-z0-9_]{0,50}$/;

/** Refuses a role that row-level security does not bind: with it every tenant would see every other. */
async function refusePrivilegedRole(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; unbound: boolean; owner: boolean }>(
    `SELECT r.rolname AS name, r.rolsuper OR r.rolbypassrls AS unbound,
            EXISTS (SELECT 1 FROM pg_class c WHERE c.relowner = r.oid AND c.relname = 'tenants') AS owner
     FROM pg_roles r WHERE r.rolname = current_user`,
  );
  const role = rows[0];
  if (role && !role.unbound && !role.owner) return;
  throw new AppError(
    'internal',
    `The database role "${role?.name ?? 'unknown'}" is the owner, a superuser or has BYPASSRLS: use svc_app or a login role that is granted svc_app.`,
  );
}

/** Runs `work` on one connection between BEGIN and COMMIT with the tenant set; the connection is thrown away when it breaks. */
async function runInTenant<T>(pool: pg.Pool, tenant: TenantId, work: (sql: TenantSql) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // One round trip; a tenant id is a checked slug, so it needs no quoting.
    await client.query(`BEGIN; SELECT set_config('app.tenant_id', '${parseTenantId(tenant)}', true)`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Opens the relational store; ends with AppError `unavailable` when it is not reached, and refuses a role that RLS does not bind. */
export async function openRelational(options: RelationalOptions): Promise<Relational> {
  const { poolSize = 10 } = options;
  const pool = createPool(options.appUrl, poolSize);
  const turns = createPoolTurns(poolSize);
  // Words only: the error carries its whole client.
  pool.on('error', ({ message }) => options.log.warn({ reason: message }, 'an idle database connection was lost'));
  try {
    await refusePrivilegedRole(pool);
  } catch (error) {
    await pool.end();
    throw translateDatabaseError(error);
  }
  const listener = new NotificationListener(options.appUrl, options.log);
  let prisma: ReturnType<typeof openPrisma> | undefined;

  let diskFullAtMs = Number.NEGATIVE_INFINITY;

  const translated = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (isDiskFull(error)) diskFullAtMs = performance.now();
      throw translateDatabaseError(error);
    }
  };

  const inTurn = async <T>(tenant: TenantId, isBackground: boolean, work: () => Promise<T>): Promise<T> =>
    await translated(async () => await turns.use(tenant, isBackground, work));

  return {
    withTenant: async <T>(tenant: TenantId, work: (db: TenantDb) => Promise<T>) =>
      await inTurn(parseTenantId(tenant), false, async () => {
        prisma ??= openPrisma(pool);
        return await (await prisma).withTenant(tenant, work);
      }),
    withTenantSql: async (tenant, work) => await inTurn(tenant, false, async () => await runInTenant(pool, tenant, work)),
    withSystemSql: async (tenant, work) => await inTurn(tenant, true, async () => await runInTenant(pool, tenant, work)),
    directory: async <Row extends object>(name: string, args: readonly unknown[] = []) => {
      if (!DIRECTORY_NAME.test(name)) throw new AppError('internal', 'Not the name of a directory function.');
      const places = args.map((_, index) => `$${index + 1}`).join(', ');
      return await translated(async () => (await pool.query<Row>(`SELECT * FROM directory_${name}(${places})`, [...args])).rows);
    },
    listen: async (channel, onNotify) => await translated(async () => await listener.listen(channel, onNotify)),
    health: async () => await checkHealth(pool, performance.now() - diskFullAtMs < DISK_FULL_SHOWN_MS),
    close: async () => {
      await listener.close();
      if (prisma) await (await prisma).close();
      await pool.end();
    },
  };
}

async function checkHealth(pool: pg.Pool, wasFull: boolean): Promise<Health> {
  try {
    await pool.query({ text: 'SELECT 1', query_timeout: 2000 } as pg.QueryConfig);
    if (wasFull) return { status: 'degraded', detail: 'The disk of PostgreSQL is full: changes are refused.' };
    if (pool.waitingCount > pool.options.max) return { status: 'degraded', detail: 'All database connections are busy.' };
    return { status: 'ok' };
  } catch {
    return { status: 'failed', detail: 'PostgreSQL does not answer.' };
  }
}
