import { canRun, type RunnerFacts } from './runner.ts';
import type { Test } from './test.ts';

/** Why a runner that a test chose does not run it. */
export type Idleness = 'no_runner_chosen' | 'no_runner_connected' | 'runner_not_capable';

export interface AssignedRunner {
  id: string;
  /** Absent: it runs the test. `no_runner_chosen`: a runner of this id is not there any more. */
  idle?: Idleness;
}

/** FNV-1a over UTF-16 code units, mixed once more, so that ids that differ in their last character only are spread. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const idleness = (runner: RunnerFacts, type: Test['type']): Idleness | undefined => {
  if (!canRun(runner, type)) return 'runner_not_capable';
  return runner.connected ? undefined : 'no_runner_connected';
};

const assigned = (runner: RunnerFacts, type: Test['type']): AssignedRunner => {
  const idle = idleness(runner, type);
  return idle === undefined ? { id: runner.id } : { id: runner.id, idle };
};

/** Rendezvous hashing: the one of those that can with the highest weight, so that a runner that comes or goes moves its own tests only. */
function chooseOne(testId: string, runners: readonly RunnerFacts[]): RunnerFacts | undefined {
  let best: RunnerFacts | undefined;
  let most = -1;
  for (const runner of runners) {
    const weight = hash32(`${testId}/${runner.id}`);
    if (weight > most || (weight === most && best !== undefined && runner.id < best.id)) {
      best = runner;
      most = weight;
    }
  }
  return best;
}

const hasLabels = (runner: RunnerFacts, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => runner.labels[key] === value);

/**
 * The runners of a tenant that a test is for, each with why it is idle. The same for everybody who asks with the same facts: server and
 * pages agree without a table. Whether the test is paused is not looked at. Empty where nobody fits the choice.
 */
export function assignRunners(test: Pick<Test, 'id' | 'type' | 'runners'>, runners: readonly RunnerFacts[]): AssignedRunner[] {
  const { runners: choice, type, id } = test;
  switch (choice.mode) {
    case 'any': {
      const able = runners.filter((runner) => idleness(runner, type) === undefined);
      // Where none is able now, the one that would be it says why.
      const chosen =
        chooseOne(id, able) ??
        chooseOne(
          id,
          runners.filter((runner) => canRun(runner, type)),
        ) ??
        chooseOne(id, runners);
      return chosen ? [assigned(chosen, type)] : [];
    }
    case 'all':
      return runners.map((runner) => assigned(runner, type));
    case 'labels':
      return runners.filter((runner) => hasLabels(runner, choice.labels)).map((runner) => assigned(runner, type));
    case 'named': {
      const known = new Map(runners.map((runner) => [runner.id, runner]));
      return [...new Set(choice.runners)].map((runnerId) => {
        const runner = known.get(runnerId);
        return runner ? assigned(runner, type) : { id: runnerId, idle: 'no_runner_chosen' };
      });
    }
  }
}

/** Whether this runner runs the test now. */
export const isAssigned = (
  test: Parameters<typeof assignRunners>[0],
  runners: readonly RunnerFacts[],
  runnerId: string,
): boolean => assignRunners(test, runners).some(({ id, idle }) => id === runnerId && idle === undefined);
