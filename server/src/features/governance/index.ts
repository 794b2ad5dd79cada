/**
 * What holds for a tenant's data (docs/privacy.md): whether it may go to a model elsewhere, and what of it is masked. Written by the
 * provider of the service, by now with `svc tenant set`; the tenant reads it.
 */
import { GovernanceView } from '@svc/contracts/governance/policy';
import { router, signedIn } from '#api';
import type { HasRole, RowsOfTable, Slice, TenantId } from '#kernel';
import { eraseTables, type PagedTable, readPages } from '#relational';
import type { GovernanceDeps } from './context.ts';
import { type Masked, maskTexts } from './mask.ts';
import { GOVERNANCE_CHANNEL, mayLeave, readPolicy } from './policies.ts';

export type { GovernanceDeps } from './context.ts';
export type { Masked } from './mask.ts';

const TABLES: readonly PagedTable[] = [
  {
    table: 'governance_policies',
    columns: ['classification', 'redact_from', 'redact_export', 'ai_remote_egress', 'updated_at'],
    key: ['tenant_id'],
  },
];

export function createGovernance(deps: GovernanceDeps) {
  const { relational } = deps;
  const followers = new Map<TenantId, Set<AbortController>>();
  let unlisten: (() => Promise<void>) | undefined;

  /** '' : something may have been missed, so all are asked. */
  async function endWhereWithdrawn(payload: string): Promise<void> {
    for (const [tenant, controllers] of followers)
      if (payload === '' || payload === tenant)
        if (!(await mayLeave(deps, tenant))) for (const controller of controllers) controller.abort();
  }

  return {
    name: 'governance',
    roles: ['api'],
    procedures: router({
      get: signedIn
        .meta({ rest: { method: 'GET', path: '/governance', tags: ['governance'], summary: 'What holds for the tenant’s data' } })
        .output(GovernanceView)
        .query(async ({ ctx }) => await relational.withTenantSql(ctx.principal.tenant, readPolicy)),
    }),
    /** False without consent, without a database, and whenever it cannot be read. */
    mayLeave: (tenant: TenantId): Promise<boolean> => mayLeave(deps, tenant),
    /** Runs work with a signal that aborts when the tenant's consent is withdrawn. */
    whileConsented: async <T>(tenant: TenantId, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
      const controller = new AbortController();
      const own = followers.get(tenant) ?? new Set();
      followers.set(tenant, own.add(controller));
      try {
        return await work(controller.signal);
      } finally {
        own.delete(controller);
        if (own.size === 0) followers.delete(tenant);
      }
    },
    /** Text as it may leave this server; what is restricted is dropped whatever the policy. */
    mask: async (tenant: TenantId, texts: readonly string[]): Promise<Masked[]> => {
      const { classification, redact_from: redactFrom } = await relational.withTenantSql(tenant, readPolicy);
      return await maskTexts(texts, { classification, redactFrom });
    },
    async start(hasRole: HasRole) {
      if (hasRole('api')) unlisten = await relational.listen(GOVERNANCE_CHANNEL, (payload) => void endWhereWithdrawn(payload));
    },
    close: async (): Promise<void> => await unlisten?.(),
    data: {
      owns: { relational: TABLES.map(({ table }) => table) },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of TABLES)
          for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
      },
      eraseTenant: (tenant: TenantId) => eraseTables(relational, tenant, TABLES),
      // Names no person.
      eraseSubject: async () => ({}),
    },
  } satisfies Slice & Record<string, unknown>;
}
