import { readdirSync, readFileSync } from 'node:fs';

/** Processes of a group, and those that left it and still name the folder on their command line. Linux; elsewhere none is seen. */
export function processesOf(group: number, folder: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses may hold anything.
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z' || state === 'X') return [];
      if (Number(pgrp) === group) return [pid];
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder) ? [pid] : [];
    } catch {
      return [];
    }
  });
}

/** Memory that these processes alone hold: without the program's files, of which each of them maps the same. */
export function memoryOf(pids: readonly number[]): number {
  let kibibytes = 0;
  for (const pid of pids) {
    try {
      for (const [, amount] of readFileSync(`/proc/${pid}/status`, 'utf8').matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm))
        kibibytes += Number(amount);
    } catch {
      // It ended.
    }
  }
  return kibibytes * 1024;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

/** Ends the group and whatever left it. */
export function killAll(group: number, folder: string): void {
  kill(-group);
  for (const pid of processesOf(group, folder)) kill(pid);
}
