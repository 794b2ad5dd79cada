import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { AgentError } from '../agent-error.ts';
import type { Chores } from './chores.ts';

const TIMEOUT_MS = 60_000;
/** The roots of a large company's device are the longest answer. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export type RunChore = <N extends keyof Chores>(
  name: N,
  input: Parameters<Chores[N]>[0],
) => Promise<Awaited<ReturnType<Chores[N]>>>;

/** A chore that runs, wherever it does. */
interface Running {
  stdin: Writable;
  stdout: Readable;
  /** With what it ended, in a word; after all that it said. Rejects where it could not be started. */
  ended: Promise<string>;
}

function startChild(chorePath: string): Running {
  const child = spawn(process.execPath, [chorePath], { stdio: ['pipe', 'pipe', 'inherit'], timeout: TIMEOUT_MS });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(String(signal ?? code)));
  });
  return { stdin: child.stdin, stdout: child.stdout, ended };
}

function startThread(chorePath: string): Running {
  const worker = new Worker(chorePath, { stdin: true, stdout: true });
  const late = setTimeout(() => void worker.terminate(), TIMEOUT_MS);
  const over = Promise.withResolvers<string>();
  worker.once('error', over.reject);
  worker.once('exit', (code) => over.resolve(String(code)));
  const said = new Promise((resolve) => worker.stdout.once('end', resolve));
  const ended = Promise.all([over.promise, said]).then(([code]) => code);
  return { stdin: worker.stdin as Writable, stdout: worker.stdout, ended: ended.finally(() => clearTimeout(late)) };
}

/**
 * Runs one chore in a child of its own, or in a thread inside Electron, whose program is no Node once it is packaged; secrets go over
 * its standard input, never its arguments. Throws AgentError.
 */
export const createRunChore =
  (chorePath: string, inThread = process.versions.electron !== undefined): RunChore =>
  async (name, input) => {
    const { stdin, stdout, ended } = inThread ? startThread(chorePath) : startChild(chorePath);
    const parts: Buffer[] = [];
    let bytes = 0;
    stdout.on('data', (part: Buffer | string) => {
      bytes += part.length;
      if (bytes <= MAX_ANSWER_BYTES) parts.push(Buffer.from(part));
    });
    // A child that ends before it read everything is told by its exit.
    stdin.on('error', () => undefined);
    stdin.end(JSON.stringify({ name, input }));
    const end = await ended.catch((cause: Error) => {
      throw new AgentError('internal', `${name} could not be started: ${cause.message}`, { cause });
    });
    let answer: { ok: boolean; value?: never; code?: AgentError['code']; message?: string };
    try {
      answer = JSON.parse(Buffer.concat(parts).toString('utf8'));
    } catch (cause) {
      throw new AgentError('internal', `${name} ended without an answer (${end}).`, { cause });
    }
    if (answer.ok) return answer.value as never;
    throw new AgentError(answer.code ?? 'internal', answer.message ?? 'unknown');
  };
