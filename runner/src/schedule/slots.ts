import { hash32 } from '@svc/contracts/tests/assign';

/** Where in its interval a test runs on a runner: spread by hash, the same after every restart. */
export const phaseOf = (runnerId: string, testId: string, intervalMs: number): number =>
  Math.floor((hash32(`${runnerId}#${testId}`) / 2 ** 32) * intervalMs);

/** The first instant of the test's own rhythm after `afterMs`. Nothing is made up for: what lies before it is over. */
export function nextSlot(afterMs: number, phaseMs: number, intervalMs: number): number {
  return (Math.floor((afterMs - phaseMs) / intervalMs) + 1) * intervalMs + phaseMs;
}
