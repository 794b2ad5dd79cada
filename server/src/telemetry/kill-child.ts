// The child of kill.int.test.ts: writes points one block after the other and tells each acknowledged one on standard output.
import pino from 'pino';
import { parseTenantId } from '#kernel';
import { openTelemetry } from './open.ts';

const [dataDir, migrationsDir, first] = process.argv.slice(2) as [string, string, string];
const telemetry = await openTelemetry({ dataDir, migrationsDir, log: pino({ level: 'silent' }) });
const tenant = parseTenantId('acme');
const began = Number(first);
for (let i = 0; ; i++) {
  const ts = began + i;
  await telemetry.series.write(
    Array.from({ length: 50 }, (_, agent) => ({ tenant, metric: 'm', labels: { agent: String(agent) }, ts, value: i })),
  );
  process.stdout.write(`${ts}\n`);
}
