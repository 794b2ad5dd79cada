import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const PREFIX = 'svc-browser-';

/** As PostgreSQL's in the server: another user id, to whom root's files still belong. */
export const USER_NAMESPACE = ['--user', '--map-user=1000', '--map-group=1000'] as const;
export const needsNamespace = (): boolean => process.platform === 'linux' && process.getuid?.() === 0;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export interface Bounds {
  /** Of one process. */
  readonly memoryBytes: number;
  readonly fileBytes: number;
}

export interface ProfileFolder {
  readonly path: string;
  /** Starts Chromium within its bounds; writes its process id, which stays when the programs in between are replaced. */
  readonly program: string;
  readonly pidFile: string;
  readonly remove: () => void;
}

/** Chromium runs as root in no sandbox of its own; in a user namespace it is another user and has one. */
function script(chromium: string, pidFile: string, { memoryBytes, fileBytes }: Bounds): string {
  const command = needsNamespace() ? `unshare ${USER_NAMESPACE.join(' ')} ${quoted(chromium)}` : quoted(chromium);
  return [
    '#!/bin/sh',
    `echo $$ > ${quoted(pidFile)}`,
    `ulimit -d ${Math.floor(memoryBytes / 1024)}`,
    `ulimit -f ${Math.floor(fileBytes / 512)}`,
    'ulimit -c 0',
    `exec ${command} "$@"`,
    '',
  ].join('\n');
}

export function createProfileFolder(chromium: string, bounds: Bounds): ProfileFolder {
  const folder = mkdtempSync(path.join(os.tmpdir(), `${PREFIX}${process.pid}-`));
  const pidFile = path.join(folder, 'pid');
  const program = path.join(folder, 'start');
  writeFileSync(program, script(chromium, pidFile, bounds));
  chmodSync(program, 0o700);
  return {
    path: folder,
    program,
    pidFile,
    // What was killed may still write for a moment.
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return Reflect.get(Object(error), 'code') === 'EPERM';
  }
}

/** Removes what a process that was killed left behind. */
export function sweepProfileFolders(): void {
  for (const name of readdirSync(os.tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    rmSync(path.join(os.tmpdir(), name), { recursive: true, force: true });
  }
}

/** Bytes of all files in a folder; files that vanish meanwhile count for nothing. */
export async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  try {
    for await (const entry of await opendir(folder, { recursive: true })) {
      if (entry.isFile()) bytes += (await lstat(path.join(entry.parentPath, entry.name)).catch(() => undefined))?.blocks ?? 0;
    }
  } catch {
    // Removed under way.
  }
  return bytes * 512;
}
