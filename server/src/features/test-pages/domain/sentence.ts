import { PHASES } from '@svc/contracts/tests/run-report';
import type { TestSpec } from '@svc/contracts/tests/test';
import type { NotRunningReason, TestState } from '@svc/contracts/tests/views';
import { causeWords, type FailedRun, findSlowPhase, isSlow, type Usual } from './cause-words.ts';
import { instantWords, isPage, listWords, phaseName, timeWords } from './words.ts';

/** The sentence of a test: where it fails, since when, and which phase or assertion it is. Instants in it are ISO 8601, for the reader's own clock. */

export interface RunnerSaid {
  name: string;
  state: TestState;
  sinceMs: number | undefined;
  /** Its newest run. */
  last: (FailedRun & { success: boolean; startedAtMs: number }) | undefined;
}

export interface Said {
  test: TestSpec;
  state: TestState;
  reason: NotRunningReason | undefined;
  sinceMs: number | undefined;
  runners: readonly RunnerSaid[];
  usual: Usual;
  nextMs: number | undefined;
}

const namesOf = (runners: readonly RunnerSaid[]): string => listWords(runners.map(({ name }) => name));

const since = ({ sinceMs }: Pick<Said, 'sinceMs'>): string => (sinceMs === undefined ? '' : ` since ${instantWords(sinceMs)}`);

/** The failing run that the sentence tells of: the newest one. */
function tellingRun(runners: readonly RunnerSaid[]): FailedRun | undefined {
  const failed = runners.flatMap(({ last }) => (last && !last.success ? [last] : []));
  return failed.toSorted((a, b) => b.startedAtMs - a.startedAtMs)[0];
}

const failingOf = ({ runners }: Said): RunnerSaid[] => runners.filter(({ state }) => state === 'failing');

/** Why it fails, as the rest of a sentence without its full stop: "it answers 502, wanted 200". Undefined where its newest run passed. */
export function causeOf(said: Said): string | undefined {
  const run = tellingRun(failingOf(said));
  return run && causeWords(said.test, run, said.usual);
}

function failingSentence(said: Said): string {
  const failing = failingOf(said);
  const where = failing.length > 0 ? ` from ${namesOf(failing)}` : '';
  const cause = causeOf(said);
  const why = cause === undefined ? '; its newest run passed' : `: ${cause}`;
  return `Fails${where}${since(said)}${why}.`;
}

const faultWords = (runners: readonly RunnerSaid[]): string => {
  const error = runners.find(({ last }) => last?.fault === 'internal')?.last?.error;
  return error ? `: ${error.replace(/[.\s]+$/, '')}` : '';
};

const REASON_WORDS: Readonly<Record<NotRunningReason, (said: Said) => string>> = {
  paused: () => 'it is paused',
  no_runner_chosen: () => 'no runner is chosen that is there',
  no_runner_connected: ({ runners }) =>
    runners.length === 1 ? `runner ${namesOf(runners)} is not connected` : 'none of its runners is connected',
  runner_not_capable: ({ runners, test }) =>
    `${runners.length === 1 ? `runner ${namesOf(runners)} cannot` : 'none of its runners can'} run ${test.type} tests`,
  target_refused: ({ runners }) => `${namesOf(runners) || 'its runner'} may not reach this target`,
  secret: () => 'a secret is missing, or may not be sent to this host',
  rate: () => 'the tests before it use up the runs a second of the tenant or of its host',
  runner_fault: ({ runners }) => `${namesOf(runners) || 'its runner'} cannot make its runs${faultWords(runners)}`,
  late: ({ runners }) => `${namesOf(runners) || 'its runner'} is connected and tells nothing of it`,
};

/** Some fail, fewer than it takes, and none passes. */
function tooFewFailingSentence(said: Said): string {
  const failing = said.runners.filter(({ state }) => state === 'failing');
  const run = tellingRun(failing);
  const why = run ? `: ${causeWords(said.test, run, said.usual)}` : '';
  return `Passes from nowhere, and fails from ${namesOf(failing)}${why}; it counts as failing once it fails from ${said.test.fail_when} runners.`;
}

function passingSentence(said: Said): string {
  const { runners, usual, test } = said;
  const passing = runners.filter(({ state }) => state === 'passing');
  if (passing.length === 0) return tooFewFailingSentence(said);
  const stumbled = passing.find(({ last }) => last && !last.success);
  if (stumbled?.last)
    return `Passes, but its run of ${instantWords(stumbled.last.startedAtMs)} from ${stumbled.name} failed: ${causeWords(test, stumbled.last, usual)}.`;
  const slowest = Math.max(...passing.flatMap(({ last }) => last?.totalMs ?? []));
  const took = Number.isFinite(slowest) ? ` in ${timeWords(slowest)}` : '';
  const usually =
    usual.totalMs !== undefined && took !== '' && isSlow(slowest, usual.totalMs) ? `, ${timeWords(usual.totalMs)} is usual` : '';
  return `Passes from ${namesOf(passing)}${took}${usually}.`;
}

function newSentence({ runners, nextMs }: Said): string {
  const ranBefore = runners.some(({ last }) => last !== undefined);
  const when = nextMs === undefined ? '' : `; its ${ranBefore ? 'next' : 'first'} run is at ${instantWords(nextMs)}`;
  return `Has not run ${ranBefore ? 'since it was changed or resumed' : 'yet'}${when}.`;
}

export function sentenceOf(said: Said): string {
  switch (said.state) {
    case 'failing':
      return failingSentence(said);
    case 'not_running':
      return `Does not run${since(said)}: ${REASON_WORDS[said.reason ?? 'late'](said)}.`;
    case 'paused':
      return `Paused${since(said)}.`;
    case 'new':
      return newSentence(said);
    case 'passing':
      return passingSentence(said);
  }
}

/** Phases of the failing run that are as usual. */
function usualPhases({ test, runners, usual }: Said): string {
  const run = tellingRun(runners.filter(({ state }) => state === 'failing'));
  if (!run || (run.fault !== 'assertion' && run.fault !== undefined)) return '';
  const slow = findSlowPhase(run, usual);
  if (!slow) return '';
  const same = PHASES.filter((phase) => {
    const [ms, usually] = [run.phases[phase], usual.phases[phase]];
    return phase !== slow && ms !== undefined && usually !== undefined && !isSlow(ms, usually);
  });
  if (same.length === 0) return '';
  const names = listWords(
    same.map((phase) => phaseName(phase, isPage(test))),
    5,
  );
  const text = `${names} ${same.length === 1 ? 'is' : 'are'} as usual.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What else is so: which phases are as usual, from where it passes, from where it has not run. Empty where there is nothing to add. */
export function remainderOf(said: Said): string {
  const { runners, state } = said;
  if (state === 'paused' || state === 'new') return '';
  const parts = [state === 'failing' ? usualPhases(said) : ''];
  if (state === 'failing')
    for (const { name, last } of runners.filter((runner) => runner.state === 'passing').slice(0, 3))
      parts.push(`From ${name} the same run passes${last ? ` in ${timeWords(last.totalMs)}` : ''}.`);
  // Where none passes the sentence names those that fail.
  if (state !== 'failing' && runners.some((runner) => runner.state === 'passing')) {
    const failing = runners.filter((runner) => runner.state === 'failing');
    if (failing.length > 0) parts.push(`From ${namesOf(failing)} it fails.`);
  }
  if (state !== 'not_running')
    for (const { name, last } of runners.filter((runner) => runner.state === 'not_running').slice(0, 3))
      parts.push(`From ${name} it has not run${last ? ` since ${instantWords(last.startedAtMs)}` : ' yet'}.`);
  return parts.filter((part) => part !== '').join(' ');
}
