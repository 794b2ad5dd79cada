import type { RaisedSignal, SignalKind } from '@svc/contracts/incidents/signal';
import type { TenantId } from '#kernel';
import type { Fence } from '#relational';
import type { TestPagesDeps } from '../context.ts';
import { silenceMs } from '../domain/judge.ts';
import { causeOf, type Said, sentenceOf } from '../domain/sentence.ts';
import { certificateEnds, certificateSignal, failingSignal, notRunningSignal } from '../domain/signals-of.ts';
import { groupByTest, isInMaintenance, type Judged, judge, readFacts, type TenantFacts } from '../facts.ts';
import { nameRunner } from '../rows-parts.ts';
import type { Step } from '../runs-port.ts';
import { saidOf } from '../said.ts';

const KINDS = ['test.failing', 'test.not_running', 'test.certificate_expiring'] as const satisfies readonly SignalKind[];
type Kind = (typeof KINDS)[number];
export type Present = Readonly<Record<Kind, readonly RaisedSignal[]>>;

/** Tests whose sentence is read with what is usual at once; a store that is away leaves that out and nothing else. */
const SAID_AT_ONCE = 1000;

const WEEK_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;

async function readUsual(
  { runs, clock, log }: TestPagesDeps,
  tenant: TenantId,
  testIds: readonly string[],
): Promise<ReadonlyMap<string, Step>> {
  const nowMs = clock.now();
  const span = { fromMs: Math.floor((nowMs - WEEK_MS) / HOUR_MS) * HOUR_MS, toMs: nowMs };
  return await runs.whole(tenant, { testIds }, span).catch((error: unknown) => {
    log.debug({ err: error, tenant }, 'what is usual of tests could not be read');
    return new Map<string, Step>();
  });
}

/** What is said of the tests that raise something: what only they say is read for them alone. */
async function readSaid(
  context: TestPagesDeps,
  tenant: TenantId,
  { facts, judged }: { facts: TenantFacts; judged: readonly Judged[] },
): Promise<(test: Judged) => Said> {
  const ids = judged.slice(0, SAID_AT_ONCE).map(({ test }) => test.id);
  const [heads, stats] = await Promise.all([
    context.runs.headsOf(tenant, ids).then(groupByTest),
    ids.length === 0 ? new Map<string, Step>() : readUsual(context, tenant, ids),
  ]);
  return (one) => {
    const step = stats.get(one.test.id);
    const usual = { usualMs: step?.medianMs, usualPhases: step?.phases ?? {} };
    return saidOf(one, facts, { heads: heads.get(one.test.id) ?? [], stats: usual });
  };
}

/** All that the tests of a tenant raise now, out of the stores alone. */
export async function findPresent(context: TestPagesDeps, tenant: TenantId): Promise<Present> {
  const facts = await readFacts(context, tenant);
  const { times, settings, runners } = facts;
  const { nowMs } = times;
  const judged = facts.tests.map((test) => ({ test, judgement: judge(facts, test) }));
  const telling = judged.filter(({ judgement: { state } }) => state === 'failing' || state === 'not_running');
  const saidBy = await readSaid(context, tenant, { facts, judged: telling });
  const nameOf = (id: string): string => nameRunner(runners, id);
  const present: Record<Kind, RaisedSignal[]> = { 'test.failing': [], 'test.not_running': [], 'test.certificate_expiring': [] };
  for (const one of telling) {
    const said = saidBy(one);
    const told = { ...one, sentence: sentenceOf(said), cause: causeOf(said), nameOf, nowMs };
    const failing = failingSignal(told);
    if (failing) present['test.failing'].push(failing);
    const silent = isInMaintenance(facts, one.test)
      ? undefined
      : notRunningSignal(told, { silentMs: silenceMs(one.test, times) });
    if (silent) present['test.not_running'].push(silent);
  }
  for (const { test, judgement } of judged) {
    const expiring = certificateSignal({ test, nowMs }, certificateEnds(judgement), settings);
    if (expiring) present['test.certificate_expiring'].push(expiring);
  }
  return present;
}

/** How long an open signal may go untold before it is told again, so that it keeps its incident alive. */
const TELL_AGAIN_MS = 60_000;

/** What is the same as before but for times that only say "now". */
const digestOf = (signals: readonly RaisedSignal[]): string =>
  JSON.stringify(signals.map(({ dedup_key, severity, title }) => [dedup_key, severity, title]).sort());

/** Tells what tests raise to whoever keeps signals, when it is another than before, and now and then when it is not. */
export function createSettling(context: TestPagesDeps) {
  const told = new Map<string, { digest: string; atMs: number; fence: number }>();
  return async (tenant: TenantId, fence: Fence): Promise<void> => {
    const present = await findPresent(context, tenant);
    for (const kind of KINDS) {
      const key = `${tenant}/${kind}`;
      const digest = digestOf(present[kind]);
      const before = told.get(key);
      const nowMs = context.clock.now();
      const known = before?.fence === fence.number && before.digest === digest;
      if (known && (present[kind].length === 0 || nowMs - before.atMs < TELL_AGAIN_MS)) continue;
      await context.signals.settle(tenant, { plane: 'tests', kind, scope: 'tests', fence }, present[kind]);
      told.set(key, { digest, atMs: nowMs, fence: fence.number });
    }
  };
}
