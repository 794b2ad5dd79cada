import { AppError, type Clock, type Ctx } from '#kernel';
import type { ReadLimits, Telemetry } from '#telemetry';

export interface LogsDeps {
  telemetry: Pick<Telemetry, 'store' | 'readers'>;
  clock: Clock;
}

/** One question for the tenant of whoever asks, in its place among that tenant's others. */
export type Read = <Row>(sql: string, params: Record<string, unknown>, limits?: ReadLimits) => Promise<Row[]>;

/** AppError `unavailable` where this server keeps nothing in a column store. */
export function readerOf({ telemetry: { store, readers } }: LogsDeps, ctx: Ctx): Read {
  if (store === undefined)
    throw new AppError(
      'unavailable',
      'This server runs without a column store, so it keeps no logs: install chdb or set SVC_CLICKHOUSE_URL.',
    );
  const { tenant } = ctx.principal;
  return (sql, params, limits) => readers.use(tenant, () => store.read(tenant, sql, params, limits));
}
