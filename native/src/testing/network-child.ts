// In a network namespace of its own: runs each shell command given, and prints what the watch said of it. See ../network/linux.int.test.ts.
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchNetwork } from '../network/linux.ts';

const SETTLED_MS = 1800;
const [setUp = '', ...steps] = process.argv.slice(2);
const run = (command: string): void => void execFileSync('sh', ['-ec', command], { stdio: ['ignore', 'ignore', 'inherit'] });

run(setUp);
let seen: string[] = [];
const watch = watchNetwork((change) => void seen.push(change));
await sleep(SETTLED_MS);
const found: string[][] = [];
for (const step of steps) {
  seen = [];
  run(step);
  await sleep(SETTLED_MS);
  found.push(seen);
}
const cpu = process.cpuUsage();
if ('value' in watch) watch.value();
process.stdout.write(JSON.stringify({ watching: 'value' in watch, found, cpuMs: (cpu.user + cpu.system) / 1000 }));
