const PROBE_MS = 15;

/**
 * How much of a core this process gets now, 0 to 1: CPU time over wall time of a short busy loop. On a machine that does other things
 * beside, a wall time multiplied by it is what the work would have taken alone.
 */
export function measureCpuShare(): number {
  const from = performance.now();
  const before = process.cpuUsage();
  while (process.cpuUsage(before).user + process.cpuUsage(before).system < PROBE_MS * 1000) Math.sqrt(Math.random());
  return Math.min(1, PROBE_MS / (performance.now() - from));
}

/** Time of `work` in milliseconds as it would be alone on the machine; the fastest of up to `tries`, done at the first under the bound. */
export async function fastestAloneMs(work: () => Promise<unknown>, boundMs: number, tries = 15): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let left = tries; left > 0 && fastest >= boundMs; left -= 1) {
    const share = measureCpuShare();
    const from = performance.now();
    await work();
    const tookMs = performance.now() - from;
    fastest = Math.min(fastest, tookMs * Math.min(share, measureCpuShare()));
  }
  return fastest;
}
