import { type ChildProcess, fork } from 'node:child_process';
import type { Capabilities } from '@svc/contracts/tests/runner';
import { RUNNER_ENVIRONMENT, RUNNER_FLAGS } from './flags.ts';
import { BEAT_EVERY_MS, type FromRunnerProcess, type RunnerSettings, type ToRunnerProcess } from './messages.ts';

export interface ChildOptions {
  /** Program that calls `serveRunner`. */
  entry: string;
  /** What it may know of this process's environment. */
  env: Readonly<Record<string, string>>;
  /** Flags of Node beside its own. */
  execArgv?: readonly string[];
  /** Silent for longer it hangs, and is killed. */
  silentMs?: number;
}

export interface Ending {
  code: number | null;
  signal: string | null;
  /** The last that it wrote, such as why V8 gave up. */
  words: string;
}

export interface Child {
  lacks: Capabilities;
  pid: number | undefined;
  /** In order; a large plan goes in parts, so that neither process is kept from other things. */
  send(message: ToRunnerProcess): void;
  close(): Promise<void>;
  ended: Promise<Ending>;
}

const OPEN_MS = 60_000;
const CLOSE_MS = 8000;
const SILENT_MS = 12 * BEAT_EVERY_MS;
const TESTS_AT_ONCE = 100;
const MAX_WORDS = 2000;

function* partsOf(message: ToRunnerProcess): Generator<ToRunnerProcess> {
  if (message.type !== 'change' || message.put.length <= TESTS_AT_ONCE) return yield message;
  yield { ...message, put: [] };
  for (let at = 0; at < message.put.length; at += TESTS_AT_ONCE)
    yield { ...message, put: message.put.slice(at, at + TESTS_AT_ONCE), remove: [] };
}

/** One message after the other, each when the one before is on its way, and others' work in between. */
function createSender(child: ChildProcess): (message: ToRunnerProcess) => void {
  const waiting: ToRunnerProcess[] = [];
  let isSending = false;
  const next = (): void => {
    const message = waiting.shift();
    isSending = message !== undefined && child.connected;
    if (isSending && message) child.send(message, () => setImmediate(next));
  };
  return (message) => {
    waiting.push(...partsOf(message));
    if (!isSending) next();
  };
}

/** Kills one that says nothing any more; looked at twice, as it may be this process that did not listen. */
function watchBeats(child: ChildProcess, silentMs: number): () => void {
  let lastMs = performance.now();
  let missed = 0;
  child.on('message', () => {
    lastMs = performance.now();
  });
  const timer = setInterval(() => {
    missed = performance.now() - lastMs > silentMs ? missed + 1 : 0;
    if (missed > 1) child.kill('SIGKILL');
  }, silentMs / 4).unref();
  return () => clearInterval(timer);
}

function untilEnded(child: ChildProcess): Promise<Ending> {
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    words = `${words}${chunk}`.slice(-MAX_WORDS);
  });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, signal: null, words: error.message }));
    // After its streams are read to the end.
    child.once('close', (code, signal) => resolve({ code, signal, words }));
  });
}

/** Starts the process and has it open its runner. Rejects where it ends before, or does not open in a minute; then nothing is left of it. */
export async function startChild(
  { entry, env, execArgv = [], silentMs = SILENT_MS }: ChildOptions,
  settings: RunnerSettings,
  onMessage: (message: FromRunnerProcess) => void,
): Promise<Child> {
  const child = fork(entry, [], {
    env: { ...env, ...RUNNER_ENVIRONMENT },
    execArgv: [...RUNNER_FLAGS, ...execArgv],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const ended = untilEnded(child);
  const opened = Promise.withResolvers<Capabilities>();
  child.on('message', (message: FromRunnerProcess) => {
    if (message.type === 'opened') opened.resolve(message.lacks);
    else if (message.type === 'failed') opened.reject(new Error(message.message));
    else onMessage(message);
  });
  void ended.then(({ code, signal, words }) =>
    opened.reject(new Error(`the runner ended while it was opened (${code ?? signal}): ${words}`)),
  );
  const late = setTimeout(() => opened.reject(new Error('the runner did not open in time')), OPEN_MS);
  const send = createSender(child);
  send({ type: 'open', settings });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    const lacks = await opened.promise;
    const stopWatching = watchBeats(child, silentMs);
    void ended.then(stopWatching);
    return {
      ...{ lacks, pid: child.pid, send, ended },
      async close() {
        send({ type: 'close' });
        const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS);
        await ended;
        clearTimeout(timer);
      },
    };
  } catch (error) {
    await kill();
    throw error;
  } finally {
    clearTimeout(late);
  }
}
