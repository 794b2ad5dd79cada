// The child of amplification.int.test.ts: walks and builds one hostile request of each size, and prints what that took.
import { readFileSync } from 'node:fs';
import { walk } from '../walk/index.ts';
import { AMPLIFIERS, type Amplifier } from '../walk/test-amplifiers.ts';
import { createLogBuilder, createMetricBuilder, createSpanBuilder } from './index.ts';

const BUILDERS = {
  traces: createSpanBuilder,
  logs: createLogBuilder,
  metrics: () => createMetricBuilder({ application: 30, host: 30, flow: 30 }),
};
const [index, ...files] = process.argv.slice(2);
const { signal, make } = AMPLIFIERS[Number(index)] as Amplifier;
const tenant = 'acme';
const nowMs = Date.now();
const builder = BUILDERS[signal]();

function build(body: Buffer) {
  const walked = walk(signal, body, { tenant, nowMs });
  const place = { partition: 0, offsetLow: 0, offsetHigh: 0, large: true, stored: undefined };
  builder.add({ tenant, bytes: walked.bytes, at: nowMs, ...place });
  const { blocks, counts } = builder.finish();
  const { rows = 0, leftOut = 0 } = counts.get(tenant) ?? {};
  const sum = (tables: (table: string) => boolean, of: (block: (typeof blocks)[number]) => number): number =>
    blocks.filter(({ table }) => tables(table)).reduce((total, block) => total + of(block), 0);
  return {
    ...{ items: walked.items, tooHeavy: walked.tooHeavy, rows, leftOut },
    series: sum(
      (table) => table === 'metric_series',
      (block) => block.rows,
    ),
    blockBytes: sum(
      () => true,
      (block) => block.bytes.length,
    ),
  };
}

build(make(20_000, nowMs));
// Made by the parent: what making them leaves behind would hide what is measured.
const bodies = files.map((file) => readFileSync(file));
const before = process.resourceUsage().maxRSS;
const measured = bodies.map((body) => {
  const cpu = process.cpuUsage();
  const built = build(body);
  const { user, system } = process.cpuUsage(cpu);
  const [grownBytes, cpuMs] = [(process.resourceUsage().maxRSS - before) * 1024, (user + system) / 1000];
  return { ...built, bytes: body.length, grownBytes, cpuMs };
});
process.stdout.write(JSON.stringify(measured));
