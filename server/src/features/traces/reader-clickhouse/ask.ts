import type { TenantId } from '#kernel';
import type { ColumnStore, ReadLimits } from '#telemetry';

const TIMEOUT_MS = 5000;

/** One question about a tenant's spans, in its turn; `unavailable` when it takes over 5 s. */
export type Ask = <Row>(question: { sql: string; params: Record<string, unknown>; limits?: ReadLimits }) => Promise<Row[]>;

export const createAsk =
  (store: ColumnStore, tenant: TenantId): Ask =>
  <Row>({ sql, params, limits }: Parameters<Ask>[0]) =>
    store.read<Row>(tenant, sql, params, { timeoutMs: TIMEOUT_MS, ...limits });
