/** A verdict holds until the next one, for so long at most. */
const HOLDS_MS = 10 * 60_000;
const MINUTE_MS = 60_000;
/** Shorter ones hold no verdict of most devices. */
const LEAST_STEP_MS = 2 * MINUTE_MS;

export interface SlowStep {
  slow: number;
  measured: number;
}

export interface StepWindow {
  fromMs: number;
  toMs: number;
  stepMs: number;
}

/** Whole minutes, at most so many steps; never beyond `nowMs`. */
export function planSteps(
  window: { fromMs: number; toMs: number },
  { steps, nowMs }: { steps: number; nowMs: number },
): StepWindow {
  const fromMs = Math.floor(window.fromMs / MINUTE_MS) * MINUTE_MS;
  const toMs = Math.max(fromMs + LEAST_STEP_MS, Math.min(window.toMs, nowMs));
  const stepMs = Math.max(LEAST_STEP_MS, Math.ceil((toMs - fromMs) / steps / MINUTE_MS) * MINUTE_MS);
  return { fromMs, toMs, stepMs };
}

/** Counts devices by step out of what each of them said in it, null for nothing: how many said the cause, and how many said anything. */
export function countSlow(
  strips: Iterable<readonly (string | null)[]>,
  { cause, window: { fromMs, toMs, stepMs } }: { cause: string; window: StepWindow },
): SlowStep[] {
  const counted = Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (): SlowStep => ({ slow: 0, measured: 0 }));
  const holds = Math.floor(HOLDS_MS / stepMs);
  for (const strip of strips) {
    let said: string | null = null;
    let age = 0;
    for (const [index, step] of counted.entries()) {
      const now = strip[index] ?? null;
      age = now === null ? age + 1 : 0;
      said = now ?? (age <= holds ? said : null);
      if (said === null) continue;
      step.measured += 1;
      if (said === cause) step.slow += 1;
    }
  }
  return counted;
}
