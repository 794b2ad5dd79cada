import { mayBeSentTo, type PlannedSecret } from '@svc/contracts/tests/plan';
import type { Measured, Phase, RunFault, RunReport } from '@svc/contracts/tests/run-report';
import type { Capabilities } from '@svc/contracts/tests/runner';
import { type Test, timeoutOf } from '@svc/contracts/tests/test';
import { uuidv7 } from 'uuidv7';
import type { PlanClock } from './plan-clock.ts';
import type { RunTest } from './run-test.ts';
import type { CpuShares } from './schedule/cpu-shares.ts';
import type { Turns } from './schedule/turns.ts';

/**
 * A run that began later than this is told as late: figure `late.ms`. `late.rate.ms` is how long it waited for its owner's share of the runner's
 * time, before it began and before its answer was judged.
 */
export const LATE_MS = 1000;
/** A probe ends by itself within the test's bound; one that does not is ended so much later. */
const GRACE_MS = 10_000;

export class SecretFault extends Error {}

export interface MakeRunDeps {
  runnerId: string;
  runTest: RunTest;
  clock: PlanClock;
  lacks: () => Capabilities;
  shares: Pick<CpuShares, 'spend'>;
  turns: Pick<Turns, 'take'>;
}

export interface WantedRun {
  owner: string;
  test: Test;
  secrets: readonly PlannedSecret[];
  plannedMs: number;
  leftOut: number;
  /** It began later since its owner was above its share of the CPU. */
  isHeld: boolean;
  onDemand: boolean;
  onProgress?: ((phase: Phase, ms: number) => void) | undefined;
}

const WORDS_OF_LACK: Readonly<Record<string, string>> = {
  no_icmp: 'This runner may not send ICMP.',
  no_chromium: 'This runner has no Chromium.',
  no_sandbox: 'This runner cannot give Chromium its sandbox.',
  no_ipv6: 'This runner has no IPv6.',
  switched_off: 'This type is switched off on this runner.',
};

const notMeasured = (fault: RunFault, error: string): Measured => ({
  success: false,
  fault,
  error,
  phases: {},
  total_ms: 0,
  figures: {},
  assertions: [],
});

const secretsFor =
  (secrets: readonly PlannedSecret[]) =>
  (name: string, host: string): string => {
    const secret = secrets.find((one) => one.name === name);
    if (!secret) throw new SecretFault(`There is no secret ${name} here.`);
    if (!mayBeSentTo(secret.hosts, host)) throw new SecretFault(`The secret ${name} may not be sent to ${host}.`);
    return secret.value;
  };

/** Resolves with undefined where the run was called off: nothing is reported then. */
export function createMakeRun({ runnerId, runTest, clock, lacks, shares, turns }: MakeRunDeps) {
  async function measure(
    wanted: WantedRun,
    { calledOff, onHeld }: { calledOff: AbortSignal; onHeld: (ms: number) => void },
  ): Promise<Measured | undefined> {
    const { owner, test, secrets, onProgress } = wanted;
    if (calledOff.aborted) return undefined;
    const lack = lacks()[test.type];
    if (lack) return notMeasured('not_capable', WORDS_OF_LACK[lack] ?? lack);
    const overdue = new AbortController();
    const timer = setTimeout(() => overdue.abort(), timeoutOf(test) * 1000 + GRACE_MS);
    const signal = AbortSignal.any([calledOff, overdue.signal]);
    const ended = Promise.withResolvers<undefined>();
    signal.addEventListener('abort', () => ended.resolve(undefined), { once: true });
    try {
      const running = runTest(test, {
        ...{ resolveSecret: secretsFor(secrets), signal, onProgress },
        onBusy: (ms) => shares.spend(owner, ms),
        async takeTurn() {
          const sinceMs = performance.now();
          if (await turns.take(owner)) onHeld(performance.now() - sinceMs);
        },
      });
      const measured = await Promise.race([running, ended.promise]);
      // One that does not listen goes on alone; what it says later is for nobody.
      if (!measured) running.catch(() => {});
      if (calledOff.aborted) return undefined;
      return measured ?? notMeasured('internal', 'The run did not end within its bound and was ended.');
    } catch (error) {
      if (calledOff.aborted) return undefined;
      if (error instanceof SecretFault) return notMeasured('secret', error.message);
      // What it says may quote what it was given.
      return notMeasured('internal', 'The run failed on this runner for a reason of its own.');
    } finally {
      clearTimeout(timer);
    }
  }

  return async (wanted: WantedRun, calledOff: AbortSignal): Promise<RunReport | undefined> => {
    const startedMs = clock.now();
    const { test, plannedMs, leftOut, isHeld, onDemand } = wanted;
    const lateMs = startedMs - plannedMs;
    let heldMs = isHeld ? lateMs : 0;
    const measured = await measure(wanted, { calledOff, onHeld: (ms) => (heldMs += ms) });
    if (!measured) return undefined;
    return {
      ...measured,
      figures: {
        ...measured.figures,
        ...(lateMs > LATE_MS ? { 'late.ms': Math.round(lateMs) } : {}),
        ...(heldMs > LATE_MS ? { 'late.rate.ms': Math.round(heldMs) } : {}),
        ...(leftOut > 0 ? { 'runs.left_out': leftOut } : {}),
      },
      result_id: uuidv7(),
      test_id: test.id,
      test_version: test.version,
      runner_id: runnerId,
      type: test.type,
      target: test.target,
      planned_at: new Date(Math.min(plannedMs, startedMs)).toISOString(),
      started_at: new Date(startedMs).toISOString(),
      on_demand: onDemand,
    };
  };
}
