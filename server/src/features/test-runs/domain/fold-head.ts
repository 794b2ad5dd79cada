import type { CertificateFacts, RunFault } from '@svc/contracts/tests/run-report';

/** The newest runs that are remembered of a test on a runner: more than any number of failing runs that may be asked for. */
export const REMEMBERED = 24;

/** A run that counts: id, Unix milliseconds, whether it passed. */
export type CountedRun = readonly [id: string, atMs: number, passed: 0 | 1];

export interface LatestRun {
  resultId: string;
  startedAtMs: number;
  success: boolean;
  fault: RunFault | undefined;
}

/** What is kept of a test on a runner; `last` is what is shown of its newest run. */
export interface HeadState<Last extends LatestRun = LatestRun> {
  last: Last;
  /** The latest first. */
  recent: readonly CountedRun[];
  failing: boolean;
  /** The first run of what it is now. */
  sinceMs: number | undefined;
  /** The run that made it so. */
  latchedAtMs: number | undefined;
  certificate: { facts: CertificateFacts; atMs: number; changedAtMs: number | undefined } | undefined;
}

export interface FoldedRun<Last extends LatestRun = LatestRun> {
  last: Last;
  /** Nothing was measured, or it is of before a pause: it is shown, and counts neither way. */
  notRun: boolean;
  certificate: CertificateFacts | undefined;
}

const newestFirst = (a: CountedRun, b: CountedRun): number => b[1] - a[1] || (a[0] < b[0] ? 1 : a[0] > b[0] ? -1 : 0);

interface Latch {
  failing: boolean;
  sinceMs: number | undefined;
  latchedAtMs: number | undefined;
}

const pick = ({ failing, sinceMs, latchedAtMs }: Latch): Latch => ({ failing, sinceMs, latchedAtMs });

/** What it was before the oldest run that is remembered: a change that lies within them will be found again. */
function stateBefore(previous: Latch | undefined, oldestMs: number): boolean {
  if (!previous) return false;
  return previous.sinceMs === undefined || previous.sinceMs <= oldestMs ? previous.failing : !previous.failing;
}

/**
 * Goes over the runs from the oldest: so many of the other kind in a row change the state, from the first of them on. The same runs
 * again, or in another order, come to the same.
 */
export function latch(recent: readonly CountedRun[], previous: Latch | undefined, needed: number): Latch {
  const runs = recent.toReversed();
  const [oldest] = runs;
  const kept = previous && pick(previous);
  if (!oldest) return kept ?? { failing: false, sinceMs: undefined, latchedAtMs: undefined };
  let failing = stateBefore(previous, oldest[1]);
  let flip: Pick<Latch, 'sinceMs' | 'latchedAtMs'> | undefined;
  let streak = 0;
  let streakSinceMs = 0;
  for (const [, atMs, passed] of runs) {
    const isOther = failing === (passed === 1);
    if (isOther && streak === 0) streakSinceMs = atMs;
    streak = isOther ? streak + 1 : 0;
    if (streak < needed) continue;
    failing = !failing;
    flip = { sinceMs: streakSinceMs, latchedAtMs: atMs };
    streak = 0;
  }
  if (flip) return { failing, ...flip };
  return kept ?? { failing, sinceMs: oldest[1], latchedAtMs: undefined };
}

function foldCertificate<Last extends LatestRun>(
  known: HeadState['certificate'],
  { certificate, last: { startedAtMs: atMs } }: FoldedRun<Last>,
): HeadState['certificate'] {
  if (!certificate || (known && known.atMs >= atMs)) return known;
  const changed = known && known.facts.fingerprint !== certificate.fingerprint;
  return { facts: certificate, atMs, changedAtMs: changed ? atMs : known?.changedAtMs };
}

/**
 * What still counts of it once a pause is over, which ended at `resumedAtMs`: no run of before it. What the test was then is part of no
 * streak; what was shown of it stays.
 */
export function forgetBefore<Known extends HeadState>(known: Known, resumedAtMs: number | undefined): Known {
  if (resumedAtMs === undefined || (known.sinceMs ?? resumedAtMs) >= resumedAtMs) return known;
  const recent = known.recent.filter(([, atMs]) => atMs >= resumedAtMs);
  return { ...known, recent, failing: false, sinceMs: undefined, latchedAtMs: undefined };
}

/** Adds runs in any order; those that are there already change nothing. `needed`: runs in a row that change the state. */
export function foldRuns<Last extends LatestRun>(
  known: HeadState<Last> | undefined,
  runs: readonly FoldedRun<Last>[],
  needed: number,
): HeadState<Last> | undefined {
  let last = known?.last;
  let certificate = known?.certificate;
  const byId = new Map((known?.recent ?? []).map((run) => [run[0], run]));
  for (const run of runs.toSorted((a, b) => a.last.startedAtMs - b.last.startedAtMs)) {
    if (!last || run.last.startedAtMs >= last.startedAtMs) last = run.last;
    certificate = foldCertificate(certificate, run);
    const { resultId, startedAtMs, success } = run.last;
    if (!run.notRun) byId.set(resultId, [resultId, startedAtMs, success ? 1 : 0]);
  }
  if (!last) return undefined;
  const recent = [...byId.values()].sort(newestFirst).slice(0, REMEMBERED);
  // Where nothing has counted yet, there is nothing before the runs that do.
  return { last, certificate, recent, ...latch(recent, known?.sinceMs === undefined ? undefined : known, needed) };
}
