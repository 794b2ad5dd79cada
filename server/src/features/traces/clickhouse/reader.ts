import type { TenantId } from '#kernel';
import type { ColumnStore, TenantReaders } from '#telemetry';
import type { TraceReader } from '../reader.ts';
import { createAsk } from './ask.ts';
import { findTraces, readSummaries } from './find-traces.ts';
import { countKeys, countValues, readGroups, readPoints, readSpans } from './search.ts';
import { createTraceQuestions } from './trace.ts';

export function createClickhouseReader(store: ColumnStore, readers: TenantReaders, tenant: TenantId): TraceReader {
  const ask = createAsk(store, readers, tenant);
  return {
    ...createTraceQuestions(ask),
    spans: (question) => readSpans(ask, question),
    findTraces: (question) => findTraces(ask, question),
    summaries: (question) => readSummaries(ask, question),
    points: (question) => readPoints(ask, question),
    groups: (question) => readGroups(ask, question),
    keys: (question) => countKeys(ask, question),
    values: (question) => countValues(ask, question),
    async any() {
      const sql = 'SELECT 1 AS one FROM spans WHERE tenant_id = {tenant:String} LIMIT 1';
      return (await ask({ sql, params: {} })).length > 0;
    },
  };
}
