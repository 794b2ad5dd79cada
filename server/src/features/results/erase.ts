import type { ErasedRows, TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** Results with what is computed of them, then samples with theirs; the names of series last, by which those of a device are found again. */
export const RESULT_TABLES = ['results', 'latest_results', 'cause_hours', 'samples', 'sample_hours', 'sample_marks', 'series'];

const OF_AGENTS = `SELECT DISTINCT toString(fp) AS id FROM series WHERE tenant_id = {tenant:String} AND agent IN {agents:Array(String)}`;

/** What some devices measured. Which hours have samples is known of the tenant alone and stays. */
export async function eraseAgents(store: ColumnStore, tenant: TenantId, agents: readonly string[]): Promise<ErasedRows> {
  if (agents.length === 0) return {};
  const erased: Record<string, number> = {};
  const erase = async (table: string, column: string, values: readonly string[]): Promise<void> => {
    erased[table] = await store.erase(tenant, { table, where: { column, values } });
  };
  for (const table of ['results', 'latest_results', 'cause_hours']) await erase(table, 'agent_id', agents);
  const rows = await store.read<{ id: string }>(tenant, OF_AGENTS, { agents }, { background: true });
  const series = rows.map(({ id }) => id);
  for (const table of ['samples', 'sample_hours']) await erase(table, 'fp', series);
  await erase('series', 'agent', agents);
  return erased;
}
