import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureAgentCost } from './agent-cost.ts';

/**
 * Records what the built agent costs: average and largest resident memory, processor time, bytes sent. Linux only.
 *   node desktop-agent/bench/measure-cost.ts --minutes 60 [--faster 10] [--trace HOST] [--write FILE] [--program FILE]
 */
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
