import type { TenantId } from '#kernel';
import type { TimedResult } from './domain/parse-result.ts';
import type { ResultQueries, StoredResult } from './queries.ts';

/** Results of one batch on their way into the store. */
export interface ResultBatch {
  add(tenant: TenantId, timed: TimedResult): void;
  /** Resolves when all are stored for good. Storing a result again changes nothing that readers see. */
  write(): Promise<void>;
}

/** The port this slice owns: raw results, and one sample for each numeric field that has a series. */
export interface ResultStore extends ResultQueries {
  newBatch(): ResultBatch;
  /** Every result of a tenant within retention, each once, a page at a time. */
  all(tenant: TenantId): AsyncIterable<StoredResult[]>;
}
