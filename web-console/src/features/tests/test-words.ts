import type { NotRunningReason, TestState } from '@svc/contracts/tests/views';
import type { IconName } from '../../ui/controls/icons.tsx';

export const STATE_WORDS: Readonly<Record<TestState, string>> = {
  failing: 'Failing',
  not_running: 'Not running',
  new: 'Not run yet',
  paused: 'Paused',
  passing: 'Passing',
};

export const STATE_ICONS: Readonly<Record<TestState, IconName>> = {
  failing: 'failed',
  not_running: 'noContact',
  new: 'pending',
  paused: 'paused',
  passing: 'check',
};

/** Why a test does not run, as the end of a sentence. */
export const REASON_WORDS: Readonly<Record<NotRunningReason, string>> = {
  paused: 'paused',
  no_runner_chosen: 'no runner chosen',
  no_runner_connected: 'no runner connected',
  runner_not_capable: 'runner cannot run it',
  target_refused: 'target refused',
  secret: 'a secret is missing',
  rate: 'over the rate',
  runner_fault: 'the runner fails',
  late: 'runs are late',
};

/** 30 s, 2 min, 1 h: an interval as a column has it. */
export function intervalWords(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600}\u00a0h`;
  return seconds > 60 && seconds % 60 === 0 ? `${seconds / 60}\u00a0min` : `${seconds}\u00a0s`;
}

/** A URL without what every URL has, for a column. */
export const shortUrl = (target: string): string => target.replace(/^https?:\/\//, '').replace(/\/$/, '');
