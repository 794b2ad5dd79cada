import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#kernel';
import type { PostgresBinaries } from './embedded-binaries.ts';

const USER_NAMESPACE = ['--user', '--map-user=1000', '--map-group=1000'];

/**
 * PostgreSQL refuses to run as root. On Linux a user namespace gives it another user id while its files stay root's, so no host
 * user is made.
 */
export function commandFor(program: string, args: readonly string[]): { file: string; args: string[] } {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return { file: program, args: [...args] };
  const probe = spawnSync('unshare', [...USER_NAMESPACE, 'true'], { stdio: 'ignore', timeout: 5000 });
  if (probe.status === 0) return { file: 'unshare', args: [...USER_NAMESPACE, program, ...args] };
  throw new AppError(
    'unavailable',
    'PostgreSQL does not run as root, and this system refuses the user namespace it would run in (unshare --user). Start svc as an ordinary user that owns the data directory, allow user namespaces, or set SVC_DATABASE_URL.',
  );
}

/** Runs a program to its end; gives its output, and an error with the last lines of it when it fails. */
export async function runToEnd(program: string, args: readonly string[], input?: string): Promise<string> {
  const command = commandFor(program, args);
  const child = spawn(command.file, command.args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true, timeout: 120_000 });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-8000);
    });
  }
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code === 0) return output;
  throw new AppError(
    'unavailable',
    `${program} ended with ${code ?? 'a signal'}: ${output.trim().split('\n').slice(-3).join(' ')}`,
  );
}

/** A port of 127.0.0.1 that was free a moment ago; the caller tries again when another took it meanwhile. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  return await new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}

/** True while the process runs; one that ended and was not reaped by its parent counts as gone. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    return Reflect.get(Object(error), 'code') === 'EPERM';
  }
};

const isGone = async (pid: number, waitMs: number): Promise<boolean> => {
  for (const end = Date.now() + waitMs; Date.now() < end; await sleep(20)) if (!isAlive(pid)) return true;
  return !isAlive(pid);
};

/** Fast shutdown (a checkpoint, clients sent away), immediate when that takes over 30 s; resolves when the process is gone. */
export async function stopPostmaster(pid: number, binaries: PostgresBinaries, cluster: string): Promise<void> {
  if (process.platform === 'win32') {
    await runToEnd(binaries.pgCtl, ['stop', '-D', cluster, '-m', 'fast', '-w']);
    return;
  }
  for (const [signal, waitMs] of [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
  ] as const) {
    if (!isAlive(pid)) return;
    process.kill(pid, signal);
    if (await isGone(pid, waitMs)) return;
  }
  throw new AppError('unavailable', `PostgreSQL (process ${pid}) does not stop.`);
}

/** True when the process is really a postmaster of this cluster; where the system does not tell, the pid file is believed. */
function isPostmasterOf(pid: number, cluster: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return /postgres(\.exe)?$/.test(words[0] ?? '') && words.includes(cluster);
  } catch {
    return process.platform !== 'linux';
  }
}

/**
 * Stops the postmaster that a killed server left behind: it would block the next start, and its settings and port are not ours.
 * Only called under the lock of the data directory. Gives its pid when there was one.
 */
export async function stopOrphan(binaries: PostgresBinaries, cluster: string): Promise<number | undefined> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number.parseInt(readFileSync(file, 'utf8').split('\n')[0] ?? '', 10);
  if (Number.isInteger(pid) && pid > 1 && isPostmasterOf(pid, cluster)) {
    await stopPostmaster(pid, binaries, cluster);
    return pid;
  }
  // The number may belong to a stranger by now, and PostgreSQL would refuse to start because of it.
  rmSync(file, { force: true });
  return undefined;
}

export interface PostmasterOptions {
  binaries: PostgresBinaries;
  cluster: string;
  port: number;
  settings: Readonly<Record<string, string>>;
  /** Open file descriptor for its log. */
  logFd: number;
}

/** Starts a postmaster in a process group of its own, so that Ctrl-C does not reach it before we have drained. */
export function spawnPostmaster(options: PostmasterOptions): ChildProcess {
  const settings = {
    ...options.settings,
    port: String(options.port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const command = commandFor(options.binaries.postgres, ['-D', options.cluster, ...flags]);
  return spawn(command.file, command.args, {
    stdio: ['ignore', options.logFd, options.logFd],
    detached: true,
    windowsHide: true,
  });
}
