import type { StripBar } from '@svc/contracts/tests/views';

interface Counted {
  atMs: number;
  passed: number;
  failed: number;
  notRun: number;
}

interface Span {
  fromMs: number;
  toMs: number;
}

/** One runner's rhythm of a test: it runs at `phaseMs` and every interval, since a time. */
export interface Rhythm {
  phaseMs: number;
  sinceMs: number;
}

export interface StripPlan extends Span {
  stepMs: number;
  intervalMs: number;
  /** Of each runner that is to run it. */
  rhythms: readonly Rhythm[];
  pauses: readonly { fromMs: number; toMs: number | undefined }[];
  /** What was to run after this may still come. */
  knownMs: number;
  nowMs: number;
}

const overlapMs = (a: Span, b: Span): number => Math.max(0, Math.min(a.toMs, b.toMs) - Math.max(a.fromMs, b.fromMs));

/** How many runs a rhythm has in a stretch of time. */
export function countSlots({ fromMs, toMs }: Span, { phaseMs, intervalMs }: { phaseMs: number; intervalMs: number }): number {
  if (toMs <= fromMs) return 0;
  return Math.ceil((toMs - phaseMs) / intervalMs) - Math.ceil((fromMs - phaseMs) / intervalMs);
}

/** Runs that were to be made in a stretch, up to a time: the slots of each runner, but for those of pauses. */
function countDue(span: Span, untilMs: number, { rhythms, intervalMs, pauses, nowMs }: StripPlan): number {
  let due = 0;
  for (const { phaseMs, sinceMs } of rhythms) {
    const rhythm = { phaseMs, intervalMs };
    const planned = { fromMs: Math.max(span.fromMs, sinceMs), toMs: Math.min(span.toMs, untilMs) };
    due += countSlots(planned, rhythm);
    for (const { fromMs, toMs = nowMs } of pauses)
      due -= countSlots({ fromMs: Math.max(planned.fromMs, fromMs), toMs: Math.min(planned.toMs, toMs) }, rhythm);
  }
  return due;
}

interface Step {
  span: Span;
  bar: Counted | undefined;
  /** Runs that were due and are not there. */
  missing: number;
  /** Runs beyond those that were due. */
  more: number;
}

function layStep(span: Span, bar: Counted | undefined, plan: StripPlan): Step {
  const came = (bar?.passed ?? 0) + (bar?.failed ?? 0) + (bar?.notRun ?? 0);
  const missing = Math.max(0, countDue(span, plan.knownMs, plan) - came);
  return { span, bar, missing, more: Math.max(0, came - countDue(span, plan.nowMs, plan)) };
}

/**
 * A run belongs to the bar in which it began: one that began late and in the next bar is not missing, nor is one that began in the bar before, by a
 * clock that is ahead. Of each runner one.
 */
function settleNeighbours(steps: readonly Step[], runners: number): void {
  for (const [i, step] of steps.entries())
    for (const neighbour of [steps[i + 1], steps[i - 1]]) {
      if (!neighbour) continue;
      const moved = Math.min(step.missing, neighbour.more, runners);
      step.missing -= moved;
      neighbour.more -= moved;
    }
}

/** One bar a step, the oldest first: what ran, what could not, and what never came though it was to run. */
export function layStrip(bars: readonly Counted[], plan: StripPlan): StripBar[] {
  const counted = new Map(bars.map((bar) => [Math.floor((bar.atMs - plan.fromMs) / plan.stepMs), bar]));
  const steps: Step[] = [];
  for (let at = plan.fromMs; at < plan.toMs; at += plan.stepMs)
    steps.push(layStep({ fromMs: at, toMs: Math.min(at + plan.stepMs, plan.toMs) }, counted.get(steps.length), plan));
  settleNeighbours(steps, plan.rhythms.length);
  return steps.map(({ span, bar, missing }) => {
    const seen = { fromMs: span.fromMs, toMs: Math.min(span.toMs, plan.nowMs) };
    const pausedMs = plan.pauses.reduce((sum, { fromMs, toMs = plan.nowMs }) => sum + overlapMs(seen, { fromMs, toMs }), 0);
    return {
      at: new Date(span.fromMs).toISOString(),
      passed: bar?.passed ?? 0,
      failed: bar?.failed ?? 0,
      not_run: (bar?.notRun ?? 0) + missing,
      paused: pausedMs > 0 && pausedMs >= (seen.toMs - seen.fromMs) / 2,
    };
  });
}
