import { AppError } from '#kernel';
import type { TimeWindow } from './queries.ts';

export const MAX_AGENTS = 1000;
export const MAX_HISTORY = 10_000;
export const DEFAULT_HISTORY = 1000;
const MAX_STEPS = 2000;

const refuse = (message: string): never => {
  throw new AppError('validation', message);
};

/** `validation` unless the window is two whole numbers of milliseconds in order. */
export function checkWindow({ fromMs, toMs }: TimeWindow): void {
  if (!Number.isSafeInteger(fromMs) || !Number.isSafeInteger(toMs) || toMs <= fromMs)
    refuse('The time window must end after it begins.');
}

/** The number of steps of a window, the last one possibly cut; `validation` for more than 2000. */
export function stepsOf(window: TimeWindow & { stepMs: number }): number {
  checkWindow(window);
  if (!Number.isSafeInteger(window.stepMs) || window.stepMs <= 0) refuse('A step is a number of milliseconds above 0.');
  const steps = Math.ceil((window.toMs - window.fromMs) / window.stepMs);
  if (steps > MAX_STEPS) refuse(`A window has at most ${MAX_STEPS} steps.`);
  return steps;
}

export function checkAgents(agentIds: readonly string[]): void {
  if (agentIds.length > MAX_AGENTS) refuse(`At most ${MAX_AGENTS} agents at once.`);
}

/** The number of results asked for, within its bounds. */
export function historyLimit(limit = DEFAULT_HISTORY): number {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_HISTORY) refuse(`A history returns 1 to ${MAX_HISTORY} results.`);
  return limit;
}
