import type { TenantId } from '#kernel';
import type { MemoryTables, TenantReaders } from '#telemetry';
import type { TraceReader } from '../reader.ts';
import { findTraces, readSummaries } from './find-traces.ts';
import { readLatency } from './latency.ts';
import { countKeys, countValues, readGroups, readPoints, readSpans } from './search.ts';
import { createTraceQuestions } from './trace.ts';

export function createMemoryReader(memory: MemoryTables, readers: TenantReaders, tenant: TenantId): TraceReader {
  const source = { memory, tenant };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => readers.use(tenant, work);
  const { spansOf, codesOf, logsOf, whole, sizeOf, wholes } = createTraceQuestions(source);
  return {
    spans: (question) => inTurn(() => readSpans(source, question)),
    findTraces: (question) => inTurn(() => findTraces(source, question)),
    summaries: (question) => inTurn(() => readSummaries(source, question)),
    points: (question) => inTurn(() => readPoints(source, question)),
    latency: (question) => inTurn(() => readLatency(source, question)),
    groups: (question) => inTurn(() => readGroups(source, question)),
    keys: (question) => inTurn(() => countKeys(source, question)),
    values: (question) => inTurn(() => countValues(source, question)),
    any: () =>
      inTurn(async () => {
        let any = false;
        await memory.scan(tenant, { table: 'spans' }, ({ rows }) => {
          any = rows.length > 0;
          return !any;
        });
        return any;
      }),
    spansOf: (id) => inTurn(() => spansOf(id)),
    codesOf: (id) => inTurn(() => codesOf(id)),
    logsOf: (question) => inTurn(() => logsOf(question)),
    whole: (id, span) => inTurn(() => whole(id, span)),
    sizeOf: (id) => inTurn(() => sizeOf(id)),
    wholes: (id) => inTurn(() => wholes(id)),
  };
}
