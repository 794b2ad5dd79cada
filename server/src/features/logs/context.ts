import type { Clock, Ctx } from '#kernel';
import { type Telemetry, tablesOf } from '#telemetry';
import { createClickhouseReader } from './clickhouse-reader.ts';
import { createMemoryReader } from './memory-reader.ts';
import type { LogReader } from './reader.ts';

export interface LogsDeps {
  telemetry: Pick<Telemetry, 'store' | 'memory' | 'readers'>;
  clock: Clock;
}

/** The logs of the tenant of whoever asks. */
export function readerOf({ telemetry }: LogsDeps, ctx: Ctx): LogReader {
  const tables = tablesOf(telemetry);
  const { tenant } = ctx.principal;
  if ('read' in tables) return createClickhouseReader(tables, tenant);
  return createMemoryReader(tables, telemetry.readers, tenant);
}
