/**
 * The model that may be asked, if one is configured (docs/causes.md): the gate before it, the tenant's share of a day, and one call that is
 * neither repeated nor given a tool. What is asked, and whether the answer holds, is the caller's.
 */
import type { RowsOfTable, Slice, TenantId } from '#kernel';
import { eraseTables, type PagedTable, readPages } from '#relational';
import { askModel } from './ask.ts';
import type { ModelsDeps } from './context.ts';

export type { ModelsDeps } from './context.ts';

const TABLES: readonly PagedTable[] = [{ table: 'model_usage', columns: ['day', 'calls', 'tokens', 'busy_ms'], key: ['day'] }];

export function createModels(deps: ModelsDeps) {
  const { relational, config, outbound } = deps;
  return {
    name: 'models',
    roles: ['api'],
    ask: <Value>(tenant: TenantId, asking: Parameters<typeof askModel<Value>>[2]) => askModel(deps, tenant, asking),
    /** What is configured, and whether a tenant may ask it; without asking it. */
    describe: async (
      tenant: TenantId,
    ): Promise<{ provider: string; model: string; host: string; isLocal: boolean; mayAsk: boolean } | undefined> => {
      if (config.provider === undefined || config.url === undefined) return undefined;
      const isLocal = await outbound.isLocal(config.url);
      const mayAsk = isLocal || (await deps.mayLeave(tenant));
      return { provider: config.provider, model: config.model ?? '', host: new URL(config.url).host, isLocal, mayAsk };
    },
    data: {
      owns: { relational: TABLES.map(({ table }) => table) },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of TABLES)
          for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
      },
      eraseTenant: (tenant: TenantId) => eraseTables(relational, tenant, TABLES),
      // Sums of the whole tenant.
      eraseSubject: async () => ({}),
    },
  } satisfies Slice & Record<string, unknown>;
}
