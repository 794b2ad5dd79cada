import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Topic } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { createLogBus } from '../server/src/bus/log.ts';
import type { TenantId } from '../server/src/kernel/index.ts';

/** Publishes 1 KB messages through the embedded log, every call acknowledged after its fdatasync; consumers read beside. */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '64' },
    bytes: { type: 'string', default: '1024' },
    perCall: { type: 'string', default: '1' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const topic = 'svc.endpoint.results' as Topic;
const folder = await mkdtemp(join(values.folder, 'svc-bench-bus-'));
const bus = await createLogBus({ folder, log: pino({ level: 'warn' }) });
const value = Buffer.alloc(Number(values.bytes), 'x');
const latencies: number[] = [];
let consumed = 0;
const subscription = await bus.subscribe({ topic, group: 'bench' }, async ({ messages }) => {
  consumed += messages.length;
});
const cpuBefore = process.cpuUsage();
const begun = performance.now();
const until = begun + Number(values.seconds) * 1000;

async function publishFor(caller: number): Promise<void> {
  const messages = Array.from({ length: Number(values.perCall) }, () => ({ tenant: `tenant-${caller % 16}` as TenantId, value }));
  while (performance.now() < until) {
    const sent = performance.now();
    await bus.publish(topic, messages);
    latencies.push(performance.now() - sent);
  }
}

await Promise.all(Array.from({ length: Number(values.concurrency) }, (_, caller) => publishFor(caller)));
const seconds = (performance.now() - begun) / 1000;
while ((await subscription.lag()) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
const { user, system } = process.cpuUsage(cpuBefore);
const published = latencies.length * Number(values.perCall);
latencies.sort((a, b) => a - b);
const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(2);
process.stdout.write(
  `${JSON.stringify({
    messagesPerSecond: Math.round(published / seconds),
    megabytesPerSecond: Math.round((published * value.length) / seconds / 1e6),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    consumed,
    cpuMicrosecondsPerMessage: ((user + system) / published).toFixed(1),
    rssMb: Math.round(process.memoryUsage().rss / 1e6),
  })}\n`,
);
await bus.close();
await rm(folder, { recursive: true, force: true });
