// The child of kill.int.test.ts: publishes spans of four tenants without end, tells on standard output what was acknowledged, stores them,
// and kills itself before or after its n-th insert.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOPICS } from '@svc/contracts/bus-topics';
import pino from 'pino';
import { createLogBus } from '#bus';
import { parseTenantId } from '#kernel';
import { openTelemetry } from '#telemetry';
import { createOtlpStore } from './index.ts';
import { numberedSpans } from './test-requests.ts';

const [folder, migrationsDir, from, when, at] = process.argv.slice(2) as [string, string, string, string, string];
const log = pino({ level: 'silent' });
const telemetry = await openTelemetry({ dataDir: folder, migrationsDir, log });
const { store } = telemetry;
const bus = await createLogBus({ folder: join(folder, 'log'), log });

let inserts = 0;
const dieAt = (insert: number, moment: string) => {
  if (moment === when && insert === Number(at)) process.kill(process.pid, 'SIGKILL');
};
const writeEncoded: typeof store.writeEncoded = async (block) => {
  const insert = ++inserts;
  dieAt(insert, 'before');
  // The insert is on its way when the process dies.
  if (when === 'during') setTimeout(() => dieAt(insert, 'during'), 3);
  await store.writeEncoded(block);
  dieAt(insert, 'after');
};
const otlp = createOtlpStore({ bus, telemetry: { ...telemetry, store: { ...store, writeEncoded } }, log });
await otlp.start();

const TENANTS = ['large', 'a', 'b', 'c'].map(parseTenantId);
for (let number = Number(from); ; number++) {
  const tenant = TENANTS[number % 4] ?? parseTenantId('a');
  const nowMs = Date.now();
  // The first tenant brings enough for blocks of its own.
  const value = numberedSpans({ number, spans: 20, nowMs, padding: number % 4 === 0 ? 4000 : 10 });
  await bus.publish(TOPICS.otlpTraces, [{ tenant, value, headers: { at: String(nowMs) } }]);
  await sleep(2);
  writeSync(1, `${tenant}:${number}\n`);
}
