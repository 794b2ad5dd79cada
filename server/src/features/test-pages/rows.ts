import type { TestRow } from '@svc/contracts/tests/views';
import type { TenantId } from '#kernel';
import type { Pause, TestPagesDeps } from './context.ts';
import { shownCertificates } from './domain/certificates.ts';
import { sentenceOf } from './domain/sentence.ts';
import { layStrip } from './domain/strip.ts';
import { groupByTest, isInMaintenance, type Judged, type TenantFacts } from './facts.ts';
import { readIncidents } from './incidents.ts';
import { nameRunner, nextRunMs, planOfStrip, showRun } from './rows-parts.ts';
import type { DayStats, FullHead } from './runs-port.ts';
import { saidOf } from './said.ts';

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const isoOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

interface RowFacts {
  heads: readonly FullHead[];
  stats: DayStats | undefined;
  pauses: readonly Pause[];
  scheduledAtMs: number | undefined;
  evidence: ReadonlyMap<string, { screenshot: boolean }>;
  incident: { id: string; number: number } | null | undefined;
}

function buildRow(
  { test, judgement }: Judged,
  facts: TenantFacts,
  { heads, stats, pauses, scheduledAtMs, evidence, incident }: RowFacts,
): TestRow {
  const { nowMs } = facts.times;
  const { runners } = facts;
  const last = heads.toSorted((a, b) => b.lastAtMs - a.lastAtMs)[0]?.last;
  const ends = shownCertificates(judgement.runners.flatMap(({ head }) => head ?? [])).map(
    ({ certificateEndsMs }) => certificateEndsMs,
  );
  const fromMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - 23 * HOUR_MS;
  const bars = stats?.bars ?? [];
  const [passed, failed] = [bars.reduce((sum, bar) => sum + bar.passed, 0), bars.reduce((sum, bar) => sum + bar.failed, 0)];
  const plan = {
    ...{ fromMs, toMs: fromMs + DAY_MS, stepMs: HOUR_MS, pauses },
    ...planOfStrip({ test, judgement }, { runners, nowMs, scheduledAtMs }),
  };
  return {
    test,
    state: judgement.state,
    sentence: sentenceOf(saidOf({ test, judgement }, facts, { heads, stats })),
    since: isoOf(judgement.sinceMs),
    not_running: judgement.reason ?? null,
    in_maintenance: isInMaintenance(facts, test),
    strip: layStrip(bars, plan),
    availability: passed + failed > 0 ? passed / (passed + failed) : null,
    p95_ms: stats?.p95Ms ?? null,
    usual_ms: stats?.usualMs ?? null,
    last: last ? showRun(last, { runners, evidence: evidence.get(last.resultId) }) : null,
    next_at: isoOf(nextRunMs({ test, judgement }, nowMs)),
    runners: judgement.runners.map(({ id, state }) => ({ id, name: nameRunner(runners, id), state })),
    certificate_days: ends.length > 0 ? Math.floor((Math.min(...ends) - nowMs) / DAY_MS) : null,
    incident: incident ?? null,
  };
}

export interface RowsWanted {
  tenant: TenantId;
  facts: TenantFacts;
  judged: readonly Judged[];
}

/** The rows of a page: what only they show is read for them alone. */
export async function buildRows(context: TestPagesDeps, { tenant, facts, judged }: RowsWanted): Promise<TestRow[]> {
  const ids = judged.map(({ test }) => test.id);
  const since = new Date(facts.times.nowMs - DAY_MS);
  const [heads, stats, rhythms, incidents] = await Promise.all([
    context.runs.headsOf(tenant, ids),
    context.runs.dayStats(tenant, ids),
    context.tests().rhythmsOf(tenant, ids, since),
    judged.some(({ judgement }) => judgement.state === 'failing' || judgement.state === 'not_running')
      ? readIncidents(context, tenant)
      : new Map<string, never>(),
  ]);
  const evidence = await context.runs.evidenceOf(
    tenant,
    heads.map(({ last }) => last.resultId),
  );
  const headsOf = groupByTest(heads);
  const pausesOf = groupByTest(rhythms.pauses);
  return judged.map((one) =>
    buildRow(one, facts, {
      ...{ heads: headsOf.get(one.test.id) ?? [], stats: stats.get(one.test.id) },
      ...{ pauses: pausesOf.get(one.test.id) ?? [], scheduledAtMs: rhythms.scheduledAtMs.get(one.test.id), evidence },
      incident: incidents.get(one.test.id),
    }),
  );
}
