import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureAgentCost } from './agent-cost.ts';

/**
 * Records what the built agent costs: average and largest resident memory, processor time, bytes sent; ends with 1 where an hour
 * or more at the default cadence misses a bound. Linux only.
 *   node desktop-agent/bench/measure-cost.ts --minutes 60 [--faster 10] [--trace HOST] [--write FILE] [--program FILE]
 */
const BOUNDS = { rssAverageMib: 90, cpuPercentOfOneCore: 0.1, sentBytesPerDay: 1_500_000 } as const;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    faster: { type: 'string', default: '1' },
    trace: { type: 'string' },
    write: { type: 'string' },
    program: { type: 'string', default: join(import.meta.dirname, '..', 'dist', 'svc-agent.mjs') },
  },
});

const { figures } = await measureAgentCost({
  minutes: Number(values.minutes),
  faster: Number(values.faster),
  trace: values.trace,
  program: values.program,
});
process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
if (values.write) {
  const before = await readFile(values.write, 'utf8').then(JSON.parse, () => ({}));
  await writeFile(values.write, `${JSON.stringify({ ...before, [figures.cadence]: figures }, null, 2)}\n`);
}

if (figures.cadence === 'default' && Number(values.minutes) >= 60) {
  for (const [name, bound] of Object.entries(BOUNDS)) {
    const figure = figures[name as keyof typeof BOUNDS] ?? Number.NaN;
    if (figure < bound) continue;
    process.stderr.write(`${name} is ${figure}, which misses its bound of ${bound}.\n`);
    process.exitCode = 1;
  }
}
