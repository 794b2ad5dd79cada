import { spawn } from 'node:child_process';
import { AgentError } from '../agent-error.ts';
import type { Chores } from './chores.ts';

const TIMEOUT_MS = 60_000;
/** The roots of a large company's device are the longest answer. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export type RunChore = <N extends keyof Chores>(
  name: N,
  input: Parameters<Chores[N]>[0],
) => Promise<Awaited<ReturnType<Chores[N]>>>;

/** Runs one chore in a child of its own; secrets go over its standard input, never its arguments. Throws AgentError. */
export const createRunChore =
  (chorePath: string): RunChore =>
  (name, input) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [chorePath], { stdio: ['pipe', 'pipe', 'inherit'], timeout: TIMEOUT_MS });
      let text = '';
      child.stdout.on('data', (part) => {
        if (text.length < MAX_ANSWER_BYTES) text += part;
      });
      // A child that ends before it read everything is told by its exit.
      child.stdin.on('error', () => undefined);
      child.on('error', (cause) =>
        reject(new AgentError('internal', `${name} could not be started: ${cause.message}`, { cause })),
      );
      child.on('close', (code, signal) => {
        let answer: { ok: boolean; value?: never; code?: AgentError['code']; message?: string };
        try {
          answer = JSON.parse(text);
        } catch (cause) {
          reject(new AgentError('internal', `${name} ended without an answer (${signal ?? code}).`, { cause }));
          return;
        }
        if (answer.ok) resolve(answer.value as never);
        else reject(new AgentError(answer.code ?? 'internal', answer.message ?? 'unknown'));
      });
      child.stdin.end(JSON.stringify({ name, input }));
    });
