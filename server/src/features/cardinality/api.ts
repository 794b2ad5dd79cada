import { z } from 'zod';
import { permitted, router } from '#api';
import type { Relational } from '#relational';
import type { Ledger } from './ledger.ts';
import { KINDS, readOverflows } from './store.ts';

const Overflow = z.object({
  /** UTC. */
  day: z.iso.date(),
  kind: z.enum(KINDS),
  /** What one tenant may have. */
  bound: z.number(),
  /** New in the day, as far as it was counted. */
  admitted: z.number(),
  /** Points, samples or calls that are kept under a common name. */
  folded: z.number(),
  /** Points that are not kept. */
  left_out: z.number(),
  first_at: z.iso.datetime(),
  last_at: z.iso.datetime(),
  /** Metrics with most points beyond the bound; of a sample. */
  metrics: z.array(z.object({ name: z.string(), points: z.number() })),
  /** The label with most values in a sample of them. */
  label: z.object({ name: z.string(), values: z.number() }).nullable(),
});

/** `cardinality.*` over tRPC, and /v1/cardinality over REST. */
export function createCardinalityProcedures({ relational, ledger }: { relational: Relational; ledger: Ledger }) {
  const overflows = permitted('otlp.read', {
    rest: {
      ...{
        method: 'GET',
        path: '/cardinality',
        tags: ['otlp'],
        summary: 'Bounds of series, targets and connections that were reached',
      },
      query: z.object({ days: z.coerce.number().int().min(1).max(30).default(1) }),
    },
  })
    .input(z.object({ days: z.int().min(1).max(30).default(1) }))
    .output(z.object({ items: z.array(Overflow) }))
    .query(async ({ ctx, input }) => {
      const { tenant } = ctx.principal;
      await ledger.flush(tenant);
      const rows = await relational.withTenantSql(tenant, (sql) => readOverflows(sql, input.days));
      const items = rows.map(({ detail, ...row }) => ({
        ...row,
        bound: Number(row.bound),
        admitted: Number(row.admitted),
        folded: Number(row.folded),
        left_out: Number(row.left_out),
        first_at: row.first_at.toISOString(),
        last_at: row.last_at.toISOString(),
        metrics: detail?.metrics ?? [],
        label: detail?.label ?? null,
      }));
      return { items };
    });
  return router({ overflows });
}
