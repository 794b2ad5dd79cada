import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { parseTenantId } from '../server/src/kernel/index.ts';
import { openTelemetry } from '../server/src/telemetry/index.ts';

/** Results of the tenant `default` in the embedded ClickHouse of a server that has ended; each id once. */
export async function countStored(dataDir: string): Promise<number> {
  const migrationsDir = fileURLToPath(new URL('../clickhouse/migrations', import.meta.url));
  const telemetry = await openTelemetry({ dataDir, migrationsDir, log: pino({ level: 'warn' }) });
  try {
    const sql = 'SELECT count(DISTINCT result_id) AS n FROM results WHERE tenant_id = {tenant:String}';
    const [row] = await telemetry.store.read<{ n: string | number }>(parseTenantId('default'), sql, {}, { timeoutMs: 120_000 });
    return Number(row?.n ?? 0);
  } finally {
    await telemetry.close();
  }
}
