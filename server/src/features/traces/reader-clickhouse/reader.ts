import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';
import type { TraceReader } from '../reader.ts';
import { createAsk } from './ask.ts';
import { findTraces, readSummaries } from './find-traces.ts';
import { readLatency } from './latency.ts';
import { type Cuts, readPoints } from './sample.ts';
import { countKeys, countValues, readGroups, readSpans } from './search.ts';
import { createTraceQuestions } from './trace.ts';

export interface SpanStore {
  store: ColumnStore;
  cuts: Cuts;
}

export function createClickhouseReader({ store, cuts }: SpanStore, tenant: TenantId): TraceReader {
  const ask = createAsk(store, tenant);
  return {
    ...createTraceQuestions(ask),
    spans: (question) => readSpans(ask, question),
    findTraces: (question) => findTraces(ask, question),
    summaries: (question) => readSummaries(ask, question),
    points: (question) => readPoints(ask, { cuts, tenant }, question),
    latency: (question) => readLatency(ask, question),
    groups: (question) => readGroups(ask, question),
    keys: (question) => countKeys(ask, question),
    values: (question) => countValues(ask, question),
    async any() {
      const sql = 'SELECT 1 AS one FROM spans WHERE tenant_id = {tenant:String} LIMIT 1';
      return (await ask({ sql, params: {} })).length > 0;
    },
  };
}
