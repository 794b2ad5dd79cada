import { fork } from 'node:child_process';
import { join } from 'node:path';
import { readUsage } from '../usage.ts';
import type { FromLoad, LoadOrder, LoadReport } from './load.ts';

export interface Measured extends LoadReport {
  /** CPU seconds that the watched processes took in the measured while. */
  servedCpuSeconds: number;
}

const cpuOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const { cpuSeconds, childCpuSeconds } = readUsage(pid);
    return sum + cpuSeconds + childCpuSeconds;
  }, 0);

/** Runs a load generator in a process of its own, and reads what the processes it loads take meanwhile. */
export function runLoad(order: LoadOrder, watched: readonly number[]): Promise<Measured> {
  const child = fork(join(import.meta.dirname, 'load.ts'), [], { execArgv: process.execArgv });
  return new Promise((resolve, reject) => {
    let before = 0;
    child.on('message', (message: FromLoad) => {
      if (message.type === 'warm') before = cpuOf(watched);
      else if (message.type === 'done') resolve({ ...message.report, servedCpuSeconds: cpuOf(watched) - before });
      else reject(new Error(message.message));
    });
    child.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)));
    child.send(order);
  });
}
