import type pg from 'pg';
import type { TenantId } from '#kernel';
import type { TenantDb } from './port.ts';

const TRANSACTION = { timeout: 30_000, maxWait: 10_000 };

export type WithTenantDb = <T>(tenant: TenantId, work: (db: TenantDb) => Promise<T>) => Promise<T>;

/**
 * The only way to a Prisma client: an interactive transaction that begins with set_config. Setting the tenant below a shared
 * client leaks rows between tenants, because Prisma merges look-ups of one tick (measured); so the client never leaves this file.
 */
export async function openPrisma(pool: pg.Pool): Promise<{ withTenant: WithTenantDb; close(): Promise<void> }> {
  // Loaded on first use: command-line verbs and raw SQL slices do not pay for the query compiler.
  const [{ PrismaPg }, { PrismaClient }] = await Promise.all([import('@prisma/adapter-pg'), import('./generated/client.ts')]);
  const client = new PrismaClient({ adapter: new PrismaPg(pool) });
  return {
    withTenant: async (tenant, work) =>
      await client.$transaction(async (tx) => {
        await tx.$executeRaw`SELECT set_config('app.tenant_id', ${tenant}, true)`;
        return await work(tx);
      }, TRANSACTION),
    close: async () => await client.$disconnect(),
  };
}
