import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildAgent } from '../../build.js';

/** The agent as a process of its own, built as it ships. */
export interface AgentProcess {
  child: ChildProcess;
  /** Everything it wrote to standard output and error so far. */
  text(): string;
  /** Resolves with exit code or signal. */
  exited: Promise<number | string>;
}

// Inside the repository, so that the packages left out of the bundle are found; one build for each process of tests.
const folder = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', `svc-agent-test-${process.pid}`);
await buildAgent(folder);
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The built agent, readable for every user. */
export const builtAgent = join(folder, 'svc-agent.mjs');

export interface AgentStart {
  args: readonly string[];
  stateDir: string;
  /** Written to standard input, which is then closed. */
  input?: string;
  env?: Record<string, string>;
  /** As this user; only root may. */
  uid?: number;
}

export function startAgent({ args, stateDir, input = '', env = {}, uid }: AgentStart): AgentProcess {
  const child = spawn(process.execPath, ['--no-deprecation', builtAgent, ...args], {
    stdio: 'pipe',
    env: { PATH: '/usr/bin:/bin', HOME: stateDir, SVC_AGENT_STATE_DIR: stateDir, ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
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
