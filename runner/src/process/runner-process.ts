import type { PlannedTest } from '@svc/contracts/tests/plan';
import type { Phase, RunReport } from '@svc/contracts/tests/run-report';
import type { Capabilities } from '@svc/contracts/tests/runner';
import { TooManyRuns } from '../runner.ts';
import { RunnerGone, type RunnerHandle } from '../runner-handle.ts';
import { type Child, type ChildOptions, startChild } from './child.ts';
import type { FromRunnerProcess, OwnUse, PlanChange, RunnerSettings } from './messages.ts';

export interface RunnerProcessOptions extends ChildOptions {
  settings: RunnerSettings;
  /** Takes what a run of the schedule brought; never throws. */
  report: (owner: string, report: RunReport) => void;
  log: {
    warn(details: object, words: string): void;
    error(details: object, words: string): void;
  };
  /** From the end of one process to the next, doubled up to the second; one that lived for the second begins anew. */
  pauseMs?: { first: number; most: number };
}

const PAUSE = { first: 1000, most: 60_000 };

/** What is in the plan, by owner: a new process is given all of it. */
function createPlans() {
  const plans = new Map<string, Map<string, PlannedTest>>();
  return {
    change(owner: string, { put, remove }: PlanChange): void {
      const plan = plans.get(owner) ?? new Map<string, PlannedTest>();
      for (const id of remove) plan.delete(id);
      for (const planned of put) plan.set(planned.test.id, planned);
      if (plan.size === 0) plans.delete(owner);
      else plans.set(owner, plan);
    },
    all: (): [owner: string, put: PlannedTest[]][] => [...plans].map(([owner, plan]) => [owner, [...plan.values()]]),
  };
}

interface Call {
  onProgress: ((phase: Phase, ms: number) => void) | undefined;
  resolve: (report: RunReport | undefined) => void;
  reject: (error: Error) => void;
}

/** Runs on demand that wait for their answer. */
function createCalls() {
  const calls = new Map<number, Call>();
  let last = 0;
  return {
    async make(send: (call: number) => void, onProgress: Call['onProgress']): Promise<RunReport | undefined> {
      last += 1;
      const { promise, resolve, reject } = Promise.withResolvers<RunReport | undefined>();
      calls.set(last, { onProgress, resolve, reject });
      send(last);
      return await promise;
    },
    take(message: FromRunnerProcess): void {
      if (message.type === 'progress') calls.get(message.call)?.onProgress?.(message.phase, message.ms);
      if (message.type !== 'answer') return;
      const call = calls.get(message.call);
      calls.delete(message.call);
      if (message.isBusy) call?.reject(new TooManyRuns());
      else call?.resolve(message.report);
    },
    end(error: Error | undefined): void {
      for (const { resolve, reject } of calls.values()) error ? reject(error) : resolve(undefined);
      calls.clear();
    },
  };
}

/**
 * A runner in a process of its own, started again when it dies or hangs, after a pause that grows. Its plan is kept here; runs that were going on
 * then are lost, as nothing was measured. Resolves when it is open, and rejects where it cannot be opened at first.
 */
export async function startRunnerProcess(options: RunnerProcessOptions): Promise<RunnerHandle> {
  const { report, log, settings, pauseMs = PAUSE } = options;
  const plans = createPlans();
  const calls = createCalls();
  let lacks: Capabilities = {};
  let use: OwnUse = { cpu_ratio: 0, rss_bytes: 0 };
  let child: Child | undefined;
  let isClosing = false;
  let pause = pauseMs.first;
  let again: NodeJS.Timeout | undefined;

  const onMessage = (message: FromRunnerProcess): void => {
    if (message.type === 'report') report(message.owner, message.report);
    else if (message.type === 'lacks') lacks = message.lacks;
    else if (message.type === 'beat') use = { cpu_ratio: message.cpu_ratio, rss_bytes: message.rss_bytes };
    else if (message.type === 'internal') log.error({ words: message.message }, 'a synthetic test failed on the runner itself');
    else calls.take(message);
  };

  async function open(): Promise<void> {
    const startedMs = performance.now();
    const started = await startChild(options, settings, onMessage);
    if (isClosing) return await started.close();
    lacks = started.lacks;
    child = started;
    for (const [owner, put] of plans.all()) started.send({ type: 'change', owner, put, remove: [] });
    void started.ended.then((ending) => {
      child = undefined;
      use = { cpu_ratio: 0, rss_bytes: 0 };
      calls.end(isClosing ? undefined : new RunnerGone());
      if (isClosing) return;
      if (performance.now() - startedMs > pauseMs.most) pause = pauseMs.first;
      log.error({ ...ending, again_in_ms: pause }, 'the process of the built-in runner ended, and is started again');
      openAgain();
    });
  }

  function openAgain(): void {
    again = setTimeout(() => {
      open().catch((error: unknown) => {
        log.error({ err: error }, 'the process of the built-in runner could not be started');
        if (!isClosing) openAgain();
      });
    }, pause);
    pause = Math.min(pauseMs.most, 2 * pause);
  }

  await open();
  return {
    lacks: () => lacks,
    use: () => use,
    change(owner, change) {
      plans.change(owner, change);
      child?.send({ type: 'change', owner, ...change });
    },
    async runOnce(owner, planned, onProgress) {
      const held = child;
      if (!held) throw new RunnerGone();
      return await calls.make((call) => held.send({ type: 'run', call, owner, planned }), onProgress);
    },
    async close() {
      isClosing = true;
      clearTimeout(again);
      await child?.close();
      calls.end(undefined);
    },
  };
}
