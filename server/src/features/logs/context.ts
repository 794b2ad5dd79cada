import type { Clock, Ctx } from '#kernel';
import type { Telemetry } from '#telemetry';
import type { LogReader } from './reader.ts';
import { createClickhouseReader } from './reader-clickhouse.ts';

export interface LogsDeps {
  telemetry: Pick<Telemetry, 'store'>;
  clock: Clock;
}

/** The logs of the tenant of whoever asks. */
export const readerOf = ({ telemetry }: LogsDeps, ctx: Ctx): LogReader =>
  createClickhouseReader(telemetry.store, ctx.principal.tenant);
