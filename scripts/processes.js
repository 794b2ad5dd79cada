import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { childEnv, root } from './env.js';

const STOP_LIMIT_MS = 30_000;

/**
 * Starts a program of ours in a process group of its own, so that Ctrl-C reaches only us and we stop the children in order.
 * The IPC channel is the leash: when this process dies, even by kill -9, the child sees it close and stops by itself.
 * @param {string} node
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, stdin?: 'pipe' | 'ignore', stdout?: 'pipe' | 'inherit' | 'ignore', stderr?: 'inherit' | 'ignore' }} [options]
 */
export function startChild(node, args, options = {}) {
  const child = spawn(node, args, {
    cwd: root,
    env: childEnv(options.env),
    stdio: [options.stdin ?? 'ignore', options.stdout ?? 'inherit', options.stderr ?? 'inherit', 'ipc'],
    detached: process.platform !== 'win32',
  });
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  return { child, exited };
}

/** SIGTERM, then SIGKILL after a limit; resolves when it is gone. */
export async function stopChild(started) {
  if (!started || started.child.exitCode !== null || started.child.signalCode !== null) return;
  started.child.kill('SIGTERM');
  const limit = setTimeout(() => started.child.kill('SIGKILL'), STOP_LIMIT_MS);
  await started.exited;
  clearTimeout(limit);
}

/** The first IPC message of a type, or the child's end, whichever comes first. */
export function waitForMessage(started, type) {
  return new Promise((resolve, reject) => {
    started.child.on('message', (message) => {
      if (message?.type === type) resolve(message);
    });
    started.exited.then(({ code, signal }) =>
      reject(Object.assign(new Error(`ended with ${signal ?? code}`), { exitCode: code ?? 1 })),
    );
  });
}

/** grpc-js names an address as TLS server name, of which Node warns; nothing that a person at a terminal could mend. */
export const senderFlags = ['--disable-warning=DEP0123'];
export const serverMain = join(root, 'server', 'dist', 'main.js');
export const agentShim = join(root, 'desktop-agent', 'bin', 'svc-agent.js');
