// A member of the group in kafka-fleet.int.test.ts: stores what the brokers bring, until SIGTERM or worse.
import { hostname } from 'node:os';
import pino from 'pino';
import { createKafkaBus } from '#bus';
import { openTelemetry } from '#telemetry';
import { createOtlp } from '../index.ts';

const [brokers, url, migrationsDir] = process.argv.slice(2) as [string, string, string];
const log = pino({ level: 'silent' });
const telemetry = await openTelemetry({ dataDir: '/nonexistent', url, migrationsDir, migrations: 'check', log });
// The shortest session that brokers allow by default.
const bus = await createKafkaBus({ brokers: brokers.split(','), clientId: `svc-${hostname()}`, sessionTimeoutMs: 6000, log });
const otlp = createOtlp({ bus, telemetry, log });
await otlp.start();
const tell = () => process.send?.([...(otlp.storeCounters()?.tenants.get('traces')?.values() ?? [])]);
const telling = setInterval(tell, 200);
process.once('SIGTERM', async () => {
  clearInterval(telling);
  await otlp.close();
  await bus.close();
  await telemetry.close();
  process.exit(0);
});
