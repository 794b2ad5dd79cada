import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RUNNER_ENVIRONMENT, RUNNER_FLAGS } from '@svc/runner/process/flags';

// One runner holds 10,000 tests at 60 s: when they begin, what fails, and what it takes. Ends with 1 when a bound is missed.
const { values } = parseArgs({
  options: { tests: { type: 'string', default: '10000' }, seconds: { type: 'string', default: '120' } },
});
const BOUNDS = { lateMs: 1000, rssMb: 300 };

const start = (name: string, flags: readonly string[] = []): ChildProcess =>
  fork(join(import.meta.dirname, name), {
    execArgv: ['--conditions=svc-source', ...flags],
    env: { PATH: '/usr/bin:/bin', ...RUNNER_ENVIRONMENT },
  });

interface Figures {
  runs: number;
  planned: number;
  late_ms: { p99: number };
  rss_mb: number;
}

const targets = start('targets.ts');
const [ports] = await once(targets, 'message');
// As the product starts it.
const holder = start('holder.ts', RUNNER_FLAGS);
holder.send({ ...ports, tests: Number(values.tests), seconds: Number(values.seconds), warmUpSeconds: 20 });
const [answer] = await once(holder, 'message');
targets.kill();
process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
const { late_ms, rss_mb, runs, planned } = answer as Figures;
const isGood = late_ms.p99 <= BOUNDS.lateMs && rss_mb <= BOUNDS.rssMb && runs > 0.98 * planned;
process.exit(isGood ? 0 : 1);
