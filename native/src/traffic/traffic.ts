import type { Reading } from '../reading.ts';

/** Bytes that this device sent and received since it started, over all interfaces but its own loop. Never throws. */
export type ReadTraffic = () => Promise<Reading<number>>;

/** Columns of a line of /proc/net/dev behind the interface's name. */
const RECEIVED = 0;
const SENT = 8;

/** Sums the counters of Linux' /proc/net/dev; undefined for a text of another shape. A tunnel's bytes are those of the line beneath, once more. */
export function parseProcNetDev(text: string): number | undefined {
  const counted = text.split('\n').flatMap((line) => {
    const [name, counters] = line.split(':', 2);
    if (counters === undefined || name === undefined || name.trim() === 'lo') return [];
    const fields = counters.trim().split(/\s+/).map(Number);
    const sum = (fields[RECEIVED] ?? Number.NaN) + (fields[SENT] ?? Number.NaN);
    return Number.isFinite(sum) ? [sum] : [];
  });
  return counted.length > 0 ? counted.reduce((sum, one) => sum + one, 0) : undefined;
}
