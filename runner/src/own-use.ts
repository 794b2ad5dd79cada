/** What this process takes since the last reading: of one core, and of memory. */
export function createOwnUse() {
  let cpu = process.cpuUsage();
  let atMs = performance.now();
  return {
    read(): { cpu_ratio: number; rss_bytes: number } {
      const nowMs = performance.now();
      const { user, system } = process.cpuUsage(cpu);
      const passedMs = Math.max(1, nowMs - atMs);
      cpu = process.cpuUsage();
      atMs = nowMs;
      return { cpu_ratio: (user + system) / 1000 / passedMs, rss_bytes: process.memoryUsage.rss() };
    },
  };
}
