import type { NotRunningReason, RunnerOfTest } from '@svc/contracts/tests/views';

type OneCondition = RunnerOfTest['conditions'][number];

export interface RunnerConditions {
  reason: NotRunningReason | undefined;
  enabled: boolean;
  runner: { name: string; there: boolean; connected: boolean };
  type: string;
  /** Measured at least once since it was changed last. */
  measured: boolean;
}

/** In the order in which they are checked; what comes after one that does not hold is not known. */
const ORDER: readonly [
  reasons: readonly NotRunningReason[],
  describe: (facts: RunnerConditions) => Omit<OneCondition, 'holds'>,
][] = [
  [['paused'], () => ({ what: 'It is switched on', detail: '' })],
  [['no_runner_chosen'], ({ runner }) => ({ what: 'Its runner is there', detail: runner.name })],
  [['runner_not_capable'], ({ runner, type }) => ({ what: 'The runner can run it', detail: `${type} on ${runner.name}` })],
  [['no_runner_connected'], ({ runner }) => ({ what: 'The runner is connected', detail: runner.name })],
  [['target_refused'], () => ({ what: 'The runner may reach the target', detail: '' })],
  [['secret'], () => ({ what: 'Its secrets are there and may be sent', detail: '' })],
  [['rate'], () => ({ what: 'The rates of tenant and host leave room for it', detail: '' })],
  [['runner_fault', 'late'], () => ({ what: 'Its runs come in time', detail: '' })],
];

export function listConditions(facts: RunnerConditions): OneCondition[] {
  const broken = ORDER.findIndex(([reasons]) => facts.reason !== undefined && reasons.includes(facts.reason));
  return ORDER.map(([, describe], i) => ({
    ...describe(facts),
    holds: broken < 0 || i < broken ? (facts.measured || broken >= 0 || i < 4 ? true : null) : i === broken ? false : null,
  }));
}

/** The one thing to do; empty where it runs. */
export function adviseOn({ reason, runner, type }: RunnerConditions): string {
  const advice: Readonly<Record<NotRunningReason, string>> = {
    paused: 'Resume the test.',
    no_runner_chosen: `Choose another runner: ${runner.name} is not there any more.`,
    runner_not_capable: `Choose a runner that can run ${type} tests, or give ${runner.name} what it lacks.`,
    no_runner_connected: `Start svc canary on ${runner.name}, or let it reach the control plane.`,
    target_refused: `Allow the target on the machine of ${runner.name} by SVC_TARGETS_ALLOW, if it is meant to be tested.`,
    secret: 'Set the secret that the test names, and bind it to the host of the target.',
    rate: 'Choose longer intervals, or pause tests: those that are older use up the runs a second of the tenant or of this host.',
    runner_fault: `Look at the log of ${runner.name}: it begins the runs and cannot make them.`,
    late: `Look at the load and the log of ${runner.name}: it is connected and tells nothing of this test.`,
  };
  return reason === undefined ? '' : advice[reason];
}
