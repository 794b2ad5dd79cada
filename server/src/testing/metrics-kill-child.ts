// The child of metrics-kill.int.test.ts: publishes numbered points of two tenants, stores them and rolls up their hours, tells on standard
// output what was acknowledged, and kills itself around its n-th insert or step of a roll-up.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOPICS } from '@svc/contracts/bus-topics';
import pino from 'pino';
import { createLogBus } from '#bus';
import { type ColumnStore, openTelemetry, rollUpHours } from '#telemetry';
import { metricHours } from '../features/metrics/reader-clickhouse/roll-up.ts';
import { createOtlpStore } from '../features/otlp-store/index.ts';
import { LATER_MS, numberedMetrics, PER_START, TENANTS } from './test-numbered-metrics.ts';

const [folder, migrationsDir, from, step, when, at] = process.argv.slice(2) as [string, string, string, string, string, string];
const log = pino({ level: 'silent' });
const telemetry = await openTelemetry({ dataDir: folder, migrationsDir, log });
const { store } = telemetry;
const bus = await createLogBus({ folder: join(folder, 'log'), log });

const counts: Record<string, number> = {};
const dieAt = (name: string, count: number, moment: string) => {
  if (name === step && moment === when && count === Number(at)) process.kill(process.pid, 'SIGKILL');
};
async function mortal(name: string, work: () => Promise<void>): Promise<void> {
  const count = (counts[name] ?? 0) + 1;
  counts[name] = count;
  dieAt(name, count, 'before');
  if (when === 'during') setTimeout(() => dieAt(name, count, 'during'), 3);
  await work();
  dieAt(name, count, 'after');
}
const writeEncoded: ColumnStore['writeEncoded'] = (block) => mortal('insert', () => store.writeEncoded(block));
const derive: ColumnStore['derive'] = (...statement) => mortal('derive', () => store.derive(...statement));
const otlp = createOtlpStore({ bus, telemetry: { ...telemetry, store: { ...store, writeEncoded } }, log });
await otlp.start();

async function rollUp(of: ColumnStore): Promise<void> {
  for (const tenant of TENANTS) await rollUpHours(of, tenant, { ...metricHours(30), nowMs: Date.now() + LATER_MS });
  await sleep(100);
  await rollUp(of);
}
void rollUp({ ...store, derive });

for (let number = Number(from); number < Number(from) + PER_START; number++) {
  for (const tenant of TENANTS) {
    const message = { tenant, value: numberedMetrics(number), headers: { at: String(Date.now()) } };
    // A sender whose answer was lost sends once more.
    await bus.publish(TOPICS.otlpMetrics, number % 10 === 0 ? [message, message] : [message]);
    writeSync(1, `${tenant}:${number}\n`);
  }
  await sleep(2);
}
