import type { SpoolStatus } from '../publish/spool.ts';
import type { AgentCost } from './results.ts';

/** What this process cost since the last question: CPU as a ratio of one core over real time, memory now. */
export function createOwnCost(steady: () => number): (spool: SpoolStatus, sentBytes: number) => AgentCost {
  let cpu = process.cpuUsage();
  let atMs = steady();
  return (spool, sentBytes) => {
    const used = process.cpuUsage(cpu);
    const elapsedMs = Math.max(1, steady() - atMs);
    cpu = process.cpuUsage();
    atMs = steady();
    return {
      cpuRatio: (used.user + used.system) / 1000 / elapsedMs,
      rssBytes: process.memoryUsage.rss(),
      sentBytes,
      spoolResults: spool.results,
      spoolDropped: spool.dropped,
    };
  };
}
