import type { MaintenanceSpec } from '@svc/contracts/tests/keeping';
import type { TenantId } from '#kernel';
import { asSystem, type Relational, type TenantSql } from '#relational';
import type { KeptWindow } from './domain/maintained.ts';

export interface WindowRow {
  id: string;
  name: string;
  spec: Omit<MaintenanceSpec, 'name'>;
  created_by: string;
  created_at: Date;
}

export const readWindows = async (sql: TenantSql): Promise<WindowRow[]> =>
  (await sql.query<WindowRow>('SELECT id, name, spec, created_by, created_at FROM maintenance_windows ORDER BY lower(name), id'))
    .rows;

const toKept = ({ id, name, spec }: WindowRow): KeptWindow => ({ id, name, ...spec });

/** Windows of tenants, read once until they change. */
export function createWindowCache(relational: Pick<Relational, 'withSystemSql'>) {
  const kept = new Map<TenantId, Promise<KeptWindow[]>>();
  return {
    drop: (tenant: TenantId | undefined): void => void (tenant === undefined ? kept.clear() : kept.delete(tenant)),
    async read(tenant: TenantId): Promise<KeptWindow[]> {
      const known = kept.get(tenant);
      if (known) return await known;
      const reading = asSystem(relational).withTenantSql(tenant, async (sql) => (await readWindows(sql)).map(toKept));
      kept.set(tenant, reading);
      reading.catch(() => kept.get(tenant) === reading && kept.delete(tenant));
      return await reading;
    },
  };
}
export type WindowCache = ReturnType<typeof createWindowCache>;
