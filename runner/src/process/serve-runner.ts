import type { PlannedTest } from '@svc/contracts/tests/plan';
import { createOwnUse } from '../own-use.ts';
import { openProber } from '../prober.ts';
import { createRunner, type Runner, TooManyRuns } from '../runner.ts';
import { BEAT_EVERY_MS, type FromRunnerProcess, type RunnerSettings, type ToRunnerProcess } from './messages.ts';

/** For browsers to be ended. */
const END_MS = 3000;
const LOOK_MS = 20;

const send = (message: FromRunnerProcess): void => {
  if (process.connected) process.send?.(message);
};

/** Its words go to the log of whoever started this process. */
const wordsOf = (error: unknown): string =>
  String(error instanceof Error ? (error.stack ?? error.message) : error).slice(0, 4000);

async function openRunner({ id, ...own }: RunnerSettings): Promise<Runner> {
  const prober = await openProber({ ...own, onInternalError: (error) => send({ type: 'internal', message: wordsOf(error) }) });
  const runner = await createRunner({
    ...{ id, prober, shared: true },
    report: (owner, report) => send({ type: 'report', owner, report }),
  });
  runner.onLacks((lacks) => send({ type: 'lacks', lacks }));
  return runner;
}

/** Runs on demand that go on now. */
let calls = 0;

async function answer(runner: Runner, { call, owner, planned }: { call: number; owner: string; planned: PlannedTest }) {
  calls += 1;
  try {
    const report = await runner.runOnce(owner, planned, (phase, ms) => send({ type: 'progress', call, phase, ms }));
    send({ type: 'answer', call, report, isBusy: false });
  } catch (error) {
    if (!(error instanceof TooManyRuns)) send({ type: 'internal', message: wordsOf(error) });
    send({ type: 'answer', call, isBusy: error instanceof TooManyRuns });
  } finally {
    calls -= 1;
  }
}

async function end(runner: Runner | undefined): Promise<never> {
  runner?.close();
  for (const endMs = performance.now() + END_MS; performance.now() < endMs && (runner?.running() ?? 0) + calls > 0; )
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  process.exit(0);
}

/**
 * A runner that several tenants share, in this process, which does nothing else: whatever their tests take of it, whoever started it goes on. Ends
 * when it is told to, or when that one is gone; signals that reach both are for that one.
 */
export function serveRunner(): void {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  const use = createOwnUse();
  let runner: Runner | undefined;
  process.once('disconnect', () => void end(runner));
  process.on('message', (message: ToRunnerProcess) => {
    if (message.type === 'change') runner?.change(message.owner, message);
    else if (message.type === 'run' && runner) void answer(runner, message);
    else if (message.type === 'close') void end(runner);
    else if (message.type === 'open')
      openRunner(message.settings).then(
        (opened) => {
          runner = opened;
          send({ type: 'opened', lacks: opened.lacks() });
          setInterval(() => send({ type: 'beat', ...use.read() }), BEAT_EVERY_MS);
        },
        (error: unknown) => send({ type: 'failed', message: wordsOf(error) }),
      );
  });
}
