import { RUM_THRESHOLDS } from '@svc/contracts/rum/kinds';
import type { TenantId } from '#kernel';
import type { HostOutcome, RumViewsDeps } from './context.ts';
import { type EvaluateDeps, judgeHost } from './evaluate.ts';
import { OTHER_HOST } from './known.ts';
import { type JudgedHost, type SpanRow, writeSpans } from './verdict-store.ts';

const MINUTE_MS = 60_000;
const WINDOW_MS = RUM_THRESHOLDS.windowMinutes * MINUTE_MS;

/** What tests of a host came to from a time on, until the next of it. */
export interface PastTests extends HostOutcome {
  fromMs: number;
  host: string;
}

export interface Past {
  app: string;
  fromMs: number;
  toMs: number;
  tests: readonly PastTests[];
}

function outcomesAt(tests: readonly PastTests[], atMs: number): Map<string, HostOutcome> {
  const outcomes = new Map<string, HostOutcome>();
  // The last one that began by then stands.
  for (const test of [...tests].sort((a, b) => a.fromMs - b.fromMs)) if (test.fromMs <= atMs) outcomes.set(test.host, test);
  return outcomes;
}

/**
 * Verdicts of a time that is over, minute after minute as they would have been made, kept as history. Nobody is told of any: they are of the
 * demo's day before its beginning.
 */
export async function judgePast(
  { relational, reader }: Pick<EvaluateDeps, 'reader'> & Pick<RumViewsDeps, 'relational'>,
  tenant: TenantId,
  { app, fromMs, toMs, tests }: Past,
): Promise<number> {
  const before = new Map<string, JudgedHost>();
  const spans: SpanRow[] = [];
  for (let nowMs = fromMs; nowMs < toMs; nowMs += MINUTE_MS) {
    const found = await reader.judged(tenant, { fromMs: nowMs - WINDOW_MS, toMs: nowMs });
    const views = new Map(found.map((one) => [`${one.app}\n${one.host}`, one]));
    const facts = { nowMs, views, outcomes: outcomesAt(tests, nowMs), before };
    for (const { host } of found.filter((one) => one.app === app && one.host !== OTHER_HOST)) {
      const { judged, span } = judgeHost({ app, host }, facts);
      before.set(`${app}\n${host}`, judged);
      if (span) spans.push({ ...span, signalled: false });
    }
  }
  await relational.withSystemSql(tenant, (sql) => writeSpans(sql, tenant, spans));
  return spans.length;
}
