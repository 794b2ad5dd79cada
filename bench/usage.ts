import { readdirSync, readFileSync } from 'node:fs';

/** What a process and its children cost so far, by /proc. */
export interface Usage {
  cpuSeconds: number;
  rssMb: number;
  peakRssMb: number;
  childCpuSeconds: number;
  childRssMb: number;
}

const TICKS = 100;

interface One {
  parent: number;
  cpuSeconds: number;
  rssMb: number;
  peakRssMb: number;
}

function readOne(pid: number): One {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  // What the kernel calls kB is 1,024 bytes; a MB here is a million.
  const mb = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1024) / 1e6;
  return {
    parent: Number(fields[1]),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
    // Pages shared with other processes, PostgreSQL's buffers among them, are counted in each.
    rssMb: mb('VmRSS'),
    peakRssMb: mb('VmHWM'),
  };
}

function tryOne(pid: number): One | undefined {
  try {
    return readOne(pid);
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

/** Of a process and of all that it started. */
export function readUsage(pid: number): Usage {
  const all = new Map<number, One>();
  for (const name of readdirSync('/proc')) {
    const one = /^\d+$/.test(name) ? tryOne(Number(name)) : undefined;
    if (one) all.set(Number(name), one);
  }
  const isBelow = (one: One): boolean => {
    const parent = all.get(one.parent);
    return one.parent === pid || (parent !== undefined && one.parent > 1 && isBelow(parent));
  };
  const children = [...all.values()].filter(isBelow);
  const { cpuSeconds, rssMb, peakRssMb } = readOne(pid);
  return {
    cpuSeconds,
    rssMb,
    peakRssMb,
    childCpuSeconds: children.reduce((sum, one) => sum + one.cpuSeconds, 0),
    childRssMb: children.reduce((sum, one) => sum + one.rssMb, 0),
  };
}
