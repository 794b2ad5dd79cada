import { readdirSync, readFileSync } from 'node:fs';

const MIB = 1024 * 1024;
/** The machine is not the attacker's: a server beyond this is ended, and the attack has shown what it had to. */
const MOST_RSS_MIB = 6 * 1024;

function readStatus(pid: number, key: 'VmRSS' | 'VmHWM'): number {
  try {
    const line = new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return (Number(line?.[1] ?? 0) * 1024) / MIB;
  } catch {
    return 0;
  }
}

export const rssMiB = (pid: number): number => readStatus(pid, 'VmRSS');

/** CPU seconds that a process has used, user and system, of all its threads. */
export function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

export const openFiles = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
};

export interface Use {
  startMiB: number;
  peakMiB: number;
  /** Of the peak over the start. */
  grownMiB: number;
  cpuSeconds: number;
  /** It had grown so large that it was ended. */
  wasEnded: boolean;
}

/** Samples a process until `stop`; ends it where it grows beyond what the machine can bear. */
export function watchUse(pid: number): { stop(): Use } {
  const startMiB = rssMiB(pid);
  const startCpu = cpuSeconds(pid);
  let peakMiB = startMiB;
  let lastCpu = startCpu;
  let wasEnded = false;
  const timer = setInterval(() => {
    const now = rssMiB(pid);
    peakMiB = Math.max(peakMiB, now);
    lastCpu = cpuSeconds(pid) || lastCpu;
    if (now <= MOST_RSS_MIB || wasEnded) return;
    wasEnded = true;
    process.kill(pid, 'SIGKILL');
  }, 20);
  return {
    stop() {
      clearInterval(timer);
      peakMiB = Math.max(peakMiB, rssMiB(pid));
      lastCpu = cpuSeconds(pid) || lastCpu;
      return { startMiB, peakMiB, grownMiB: peakMiB - startMiB, cpuSeconds: lastCpu - startCpu, wasEnded };
    },
  };
}
