import { AppError, type Clock, type Ctx } from '#kernel';
import type { ReadLimits, Telemetry } from '#telemetry';
import type { TraceFilter } from './api.ts';
import type { Window } from './filter-sql.ts';

export interface TracesDeps {
  telemetry: Pick<Telemetry, 'store' | 'readers'>;
  clock: Clock;
}

const TIMEOUT_MS = 5000;
const DEFAULT_WINDOW_MS = 3_600_000;
/** As long as spans are kept, and the hour that a sender's clock may be ahead. */
const MAX_WINDOW_MS = 15 * 86_400_000 + 3_600_000;

/** One question about the spans of the asking person's tenant, in its turn; `unavailable` when it takes over 5 s. */
export async function ask<Row>(
  { telemetry: { store, readers } }: TracesDeps,
  ctx: Ctx,
  question: { sql: string; params: Record<string, unknown>; limits?: ReadLimits },
): Promise<Row[]> {
  if (store === undefined)
    throw new AppError(
      'unavailable',
      'Spans are not kept here: set SVC_CLICKHOUSE_URL, or run where the embedded store has a build.',
    );
  const { tenant } = ctx.principal;
  const { sql, params, limits } = question;
  return await readers.use(tenant, () => store.read<Row>(tenant, sql, params, { timeoutMs: TIMEOUT_MS, ...limits }));
}

/** The window asked for, the last hour where it is left open; `validation` when it runs backwards or is longer than spans are kept. */
export function windowOf({ clock }: TracesDeps, { from, to }: Pick<TraceFilter, 'from' | 'to'>): Window {
  // Spans of this very moment belong to it.
  const toMs = to === undefined ? clock.now() + 1 : Date.parse(to);
  const fromMs = from === undefined ? toMs - DEFAULT_WINDOW_MS : Date.parse(from);
  if (toMs <= fromMs || toMs - fromMs > MAX_WINDOW_MS)
    throw new AppError('validation', 'A window ends after it begins and is at most 15 days long.', {
      faults: [{ path: 'from', message: 'not before `to`, or more than 15 days before it' }],
    });
  return { fromMs, toMs };
}
