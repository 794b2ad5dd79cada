import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));

/** Resident memory and processor time (children that ended included) of a process by /proc; undefined once it is gone. */
export async function sampleProcess(pid: number): Promise<{ rssBytes: number; cpuMs: number } | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    // After the name in parentheses: state is field 3, utime to cstime 14 to 17, rss 24.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = fields.slice(11, 15).reduce((a, b) => a + b, 0);
    return { rssBytes: (fields[21] ?? 0) * pageBytes, cpuMs: (ticks / ticksPerSecond) * 1000 };
  } catch {
    return undefined;
  }
}
