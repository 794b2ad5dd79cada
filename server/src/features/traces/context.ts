import { AppError, type Clock, type Ctx } from '#kernel';
import type { Telemetry } from '#telemetry';
import type { TraceFilter } from './api.ts';
import type { TraceReader, Window } from './reader.ts';
import { createClickhouseReader } from './reader-clickhouse/reader.ts';
import type { Cuts } from './reader-clickhouse/sample.ts';

export interface TracesDeps {
  telemetry: Pick<Telemetry, 'store'>;
  clock: Clock;
}

/** What the verbs of this slice work with. */
export interface TracesContext extends TracesDeps {
  cuts: Cuts;
}

const DEFAULT_WINDOW_MS = 3_600_000;
/** As long as spans are kept, and the hour that a sender's clock may be ahead. */
const MAX_WINDOW_MS = 15 * 86_400_000 + 3_600_000;

/** The spans of the asking person's tenant. */
export const readerOf = ({ telemetry: { store }, cuts }: TracesContext, ctx: Ctx): TraceReader =>
  createClickhouseReader({ store, cuts }, ctx.principal.tenant);

/** The window asked for, the last hour where it is left open; `validation` when it runs backwards or is longer than spans are kept. */
export function windowOf({ clock }: TracesDeps, { from, to }: Pick<TraceFilter, 'from' | 'to'>): Window {
  // Spans of this very moment belong to it.
  const toMs = to === undefined ? clock.now() + 1 : Date.parse(to);
  const fromMs = from === undefined ? toMs - DEFAULT_WINDOW_MS : Date.parse(from);
  if (toMs <= fromMs || toMs - fromMs > MAX_WINDOW_MS)
    throw new AppError('validation', 'The time window must end after it begins and cover at most 15 days.', {
      faults: [{ path: 'from', message: 'not before `to`, or more than 15 days before it' }],
    });
  return { fromMs, toMs };
}
