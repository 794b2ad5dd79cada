// A member of the group in kafka-fleet.int.test.ts: stores what the brokers bring, until SIGTERM or worse. Told to stand still it stops
// at its next insert, when nothing is left between it and the store, and says on standard output under which claim.
import { writeSync } from 'node:fs';
import { hostname } from 'node:os';
import pino from 'pino';
import { createKafkaBus } from '#bus';
import { type ColumnStore, openTelemetry } from '#telemetry';
import { createOtlpStore } from './index.ts';

const [brokers, url, migrationsDir] = process.argv.slice(2) as [string, string, string];
const log = pino({ level: 'silent' });
const telemetry = await openTelemetry({ dataDir: '/nonexistent', url, migrationsDir, migrations: 'check', log });
// The shortest session that brokers allow by default.
const bus = await createKafkaBus({ brokers: brokers.split(','), clientId: `svc-${hostname()}`, sessionTimeoutMs: 6000, log });
const store = telemetry.store;
let standsStill = false;
let refused = 0;
process.on('message', () => {
  standsStill = true;
});
const writeEncoded: ColumnStore['writeEncoded'] = async (block) => {
  if (standsStill && block.table === 'spans') {
    standsStill = false;
    writeSync(1, JSON.stringify(block.claim));
    process.kill(process.pid, 'SIGSTOP');
  }
  await store.writeEncoded(block).catch((error) => {
    if (error.code === 'conflict') refused++;
    throw error;
  });
};
const otlp = createOtlpStore({ bus, telemetry: { ...telemetry, store: { ...store, writeEncoded } }, log });
await otlp.start();
const tell = () => {
  const tenants = [...(otlp.storeCounters().tenants.get('traces')?.values() ?? [])];
  process.send?.({ rows: tenants.reduce((sum, { rows }) => sum + rows, 0), refused });
};
const telling = setInterval(tell, 200);
process.once('SIGTERM', async () => {
  clearInterval(telling);
  await otlp.close();
  await bus.close();
  await telemetry.close();
  process.exit(0);
});
