import { isTenantId, type TenantId } from '#kernel';
import type { DiskUse } from '../ports.ts';
import type { Engine } from './engine.ts';

const TIMEOUT_MS = 10_000;
const MAX_ROWS = 100_000;

/** All of our partitions begin with the tenant; parts that were merged away take room until they are removed. */
const BY_TENANT = `SELECT extract(partition, '^[(]?[\\']?([a-z0-9-]+)') AS tenant, toFloat64(sum(bytes_on_disk)) AS bytes
  FROM system.parts WHERE database = currentDatabase() AND partition != 'tuple()' GROUP BY tenant`;
/** Of the disks that hold parts the one with the least part of it free; an object store has no end. */
const BY_DISK = `SELECT toFloat64(free_space) AS free, toFloat64(total_space) AS total FROM system.disks
  WHERE total_space > 0 AND name IN (SELECT disk_name FROM system.parts WHERE database = currentDatabase())
  ORDER BY free / total LIMIT 1`;

/** Asks the engine what its disk has left and what each tenant keeps on it. */
export async function readDiskUse(engine: Pick<Engine, 'query'>): Promise<DiskUse> {
  const ask = <Row>(sql: string) => engine.query<Row>({ sql, params: {}, timeoutMs: TIMEOUT_MS, maxRows: MAX_ROWS });
  const [disk] = await ask<{ free: number; total: number }>(BY_DISK);
  const tenants = new Map<TenantId, number>();
  for (const { tenant, bytes } of await ask<{ tenant: string; bytes: number }>(BY_TENANT))
    if (isTenantId(tenant)) tenants.set(tenant, bytes);
  const { free, total } = disk ?? { free: Number.POSITIVE_INFINITY, total: 0 };
  return { freeBytes: free, totalBytes: total, tenants };
}
