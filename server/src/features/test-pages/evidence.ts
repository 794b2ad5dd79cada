import type {
  EvidenceFact,
  EvidenceQuestion,
  PlaneEvidence,
  TestCertificateFact,
  TestOutcomeFact,
  TestPhaseFact,
} from '@svc/contracts/causes/facts';
import { NOT_RUN_FAULTS, PHASES, type RunFault } from '@svc/contracts/tests/run-report';
import { canonicalHost } from '@svc/contracts/tests/target';
import type { Test } from '@svc/contracts/tests/test';
import type { TenantId } from '#kernel';
import type { TestPagesDeps } from './context.ts';
import { SEEN_WITHIN_MS, shownCertificates } from './domain/certificates.ts';
import { groupByTest } from './facts.ts';
import { nameRunner } from './rows-parts.ts';
import type { FullHead, ShownRun, Step } from './runs-port.ts';

/** What tests know about an incident (docs/causes.md): their runs, what takes longer than it did, and certificates. */

/** Of one incident; those that its signals name come first. */
const MAX_TESTS = 20;
/** Of one test, the newest, by which is told where it fails and why. */
const MAX_RUNS = 200;
/** Of a test with more runs, where in the time of the harm it began to fail. */
const STEPS = 240;
const SLOWER = 2;
const SLOWER_BY_MS = 50;
const DAY_MS = 86_400_000;
/** A certificate that ends later than this is no evidence. */
const ENDS_WITHIN_MS = 30 * DAY_MS;
/** Runs that began this long before the harm was noticed may be its first ones. */
const EARLIER_MS = 10 * 60_000;

function findTests(tests: readonly Test[], { target, testIds }: EvidenceQuestion): Test[] {
  const wanted = new Set(testIds);
  const host = target === null ? undefined : canonicalHost(target);
  const named = tests.filter(({ id }) => wanted.has(id));
  const alike = tests.filter(
    (test) => !wanted.has(test.id) && test.enabled && host !== undefined && canonicalHost(test.target) === host,
  );
  return [...named, ...alike].slice(0, MAX_TESTS);
}

function mostFrequent(runs: readonly ShownRun[]): RunFault | null {
  const counts = new Map<RunFault, number>();
  for (const { fault } of runs) if (fault) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] ?? null;
}

/** All runs of a test that has more than are looked at. */
interface Whole {
  passed: number;
  failed: number;
  /** When the first of them failed, about. */
  failsSinceMs: number | undefined;
}

interface Measured {
  test: Test;
  /** The newest first. */
  runs: readonly ShownRun[];
  whole: Whole | undefined;
  nameOf: (runnerId: string) => string;
}

/** What the runs since the harm began came to; undefined without any. A runner fails where most of its runs do. */
function outcomeOf({ test, runs, whole, nameOf }: Measured, { toMs }: EvidenceQuestion): TestOutcomeFact | undefined {
  const counted = runs.filter(({ fault, onDemand }) => !onDemand && (fault === undefined || !NOT_RUN_FAULTS.includes(fault)));
  if (counted.length === 0) return undefined;
  const failed = counted.filter(({ success }) => !success);
  const byRunner = [...Map.groupBy(counted, ({ runnerId }) => runnerId)];
  const isFailing = ([, of]: readonly [string, readonly ShownRun[]]): boolean =>
    of.filter(({ success }) => !success).length * 2 > of.length;
  const failing = byRunner.filter(isFailing);
  return {
    kind: 'test.outcome',
    ...{ testId: test.id, testName: test.name, testType: test.type, target: test.target },
    atMs: whole?.failsSinceMs ?? failed.at(-1)?.startedAtMs ?? toMs,
    ...{ failed: whole?.failed ?? failed.length, passed: whole?.passed ?? counted.length - failed.length },
    ...{ lookedAt: whole ? counted.length : null, fault: mostFrequent(failed) },
    error: failed[0]?.error?.slice(0, 200) ?? null,
    failingFrom: failing.map(([id]) => nameOf(id)).toSorted(),
    passingFrom: byRunner
      .filter(([, of]) => of.every(({ success }) => success))
      .map(([id]) => nameOf(id))
      .toSorted(),
  };
}

/** Of those of some tests that have more runs than are looked at, what all of them came to. */
async function readWhole(
  { runs }: TestPagesDeps,
  tenant: TenantId,
  { testIds, fromMs, toMs }: { testIds: readonly string[]; fromMs: number; toMs: number },
): Promise<ReadonlyMap<string, Whole>> {
  if (testIds.length === 0) return new Map();
  const stepMs = Math.max(1000, Math.ceil((toMs - fromMs) / STEPS));
  const [outcomes, ...steps] = await Promise.all([
    runs.outcomes(tenant, testIds, { fromMs, toMs, except: [] }),
    ...testIds.map((testId) => runs.steps(tenant, { testId, fromMs, toMs, stepMs })),
  ]);
  return new Map(
    testIds.flatMap((id, place) => {
      const outcome = outcomes.get(id);
      const first = steps[place]?.find(({ failed }) => failed > 0);
      return outcome ? [[id, { ...outcome, failsSinceMs: first && Math.max(first.atMs, fromMs) }] as const] : [];
    }),
  );
}

function phasesOf(test: Test, steps: { before: Step | undefined; since: Step | undefined }, atMs: number): TestPhaseFact[] {
  return PHASES.flatMap((phase) => {
    const [usualMs, nowMs] = [steps.before?.phases[phase], steps.since?.phases[phase]];
    if (usualMs === undefined || nowMs === undefined || nowMs < SLOWER * usualMs || nowMs - usualMs < SLOWER_BY_MS) return [];
    return [{ kind: 'test.phase' as const, testId: test.id, testName: test.name, atMs, phase, usualMs, nowMs }];
  });
}

function certificateOf(
  test: Test,
  heads: readonly FullHead[],
  { fromMs, toMs }: EvidenceQuestion,
): TestCertificateFact | undefined {
  // One that a runner saw that is long gone is no evidence of that time, nor is one that came after it.
  const shown = shownCertificates(heads).find(
    ({ certificateSeenMs: seenMs = 0, certificateChangedAtMs: changedMs = 0 }) =>
      toMs - seenMs < SEEN_WITHIN_MS && changedMs <= toMs,
  );
  const certificate = shown?.certificate;
  if (!shown || !certificate) return undefined;
  const notAfterMs = Date.parse(certificate.not_after);
  const changedAtMs = shown.certificateChangedAtMs;
  const isNew = changedAtMs !== undefined && changedAtMs >= fromMs && changedAtMs <= toMs;
  const isSound = certificate.trusted && certificate.name_matches;
  if (isSound && !isNew && notAfterMs - toMs > ENDS_WITHIN_MS) return undefined;
  return {
    kind: 'test.certificate',
    ...{ testId: test.id, testName: test.name, notAfterMs, trusted: certificate.trusted, nameMatches: certificate.name_matches },
    ...{ atMs: isNew ? changedAtMs : Math.min(notAfterMs, toMs), changedAtMs: isNew ? changedAtMs : null },
  };
}

/** Bounded: at most 20 tests, seven facts of each. */
export async function findTestEvidence(
  deps: TestPagesDeps,
  tenant: TenantId,
  question: EvidenceQuestion,
): Promise<PlaneEvidence> {
  const { list } = await deps.tests().read(tenant);
  const tests = findTests(list, question);
  if (tests.length === 0) return { plane: 'tests', facts: [], notMeasured: ['No synthetic test reaches this target.'] };
  const testIds = tests.map(({ id }) => id);
  const { fromMs, sinceMs, toMs } = question;
  const firstMs = Math.max(fromMs, sinceMs - EARLIER_MS);
  const [heads, runners, before, since, runs] = await Promise.all([
    deps.runs.headsOf(tenant, testIds).then(groupByTest),
    deps.listRunners(tenant),
    deps.runs.whole(tenant, { testIds }, { fromMs, toMs: firstMs }),
    deps.runs.whole(tenant, { testIds }, { fromMs: sinceMs, toMs }),
    Promise.all(
      testIds.map((id) =>
        deps.runs.runs(tenant, id, { fromMs: sinceMs - 1, toMs: toMs + 1, limit: MAX_RUNS, countedOnly: true }),
      ),
    ),
  ]);
  const cut = testIds.filter((_, place) => runs[place]?.length === MAX_RUNS);
  const wholes = await readWhole(deps, tenant, { testIds: cut, fromMs: sinceMs, toMs: toMs + 1 });
  const nameOf = (id: string): string => nameRunner(runners, id);
  const facts = tests.flatMap((test, place): EvidenceFact[] => {
    const outcome = outcomeOf({ test, runs: runs[place] ?? [], whole: wholes.get(test.id), nameOf }, question);
    const certificate = certificateOf(test, heads.get(test.id) ?? [], question);
    const phases = phasesOf(test, { before: before.get(test.id), since: since.get(test.id) }, outcome?.atMs ?? sinceMs);
    return [...(outcome ? [outcome] : []), ...phases, ...(certificate ? [certificate] : [])];
  });
  const silent = tests.length - facts.filter(({ kind }) => kind === 'test.outcome').length;
  return {
    plane: 'tests',
    facts,
    notMeasured: silent > 0 ? [`${silent} of ${tests.length} tests did not run since the harm began.`] : [],
  };
}
