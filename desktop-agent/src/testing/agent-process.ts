import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** The agent as a process of its own, from its sources. */
export interface AgentProcess {
  child: ChildProcess;
  /** Everything it wrote to standard output and error so far. */
  text(): string;
  /** Resolves with exit code or signal. */
  exited: Promise<number | string>;
}

const main = join(import.meta.dirname, '..', 'cli', 'main.ts');

export interface AgentStart {
  args: readonly string[];
  stateDir: string;
  /** Written to standard input, which is then closed. */
  input?: string;
  env?: Record<string, string>;
}

export function startAgent({ args, stateDir, input = '', env = {} }: AgentStart): AgentProcess {
  const child = spawn(process.execPath, ['--no-deprecation', main, ...args], {
    stdio: 'pipe',
    env: { PATH: '/usr/bin:/bin', HOME: stateDir, SVC_AGENT_STATE_DIR: stateDir, ...env },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      text += part;
    });
  }
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const exited = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code ?? -1));
  });
  return { child, text: () => text, exited };
}
