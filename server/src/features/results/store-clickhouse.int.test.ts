import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clickHouseUnavailable, startClickHouse } from '@svc/testkit/clickhouse';
import pino from 'pino';
import { describe } from 'vitest';
import { systemClock } from '#kernel';
import { openTelemetry } from '#telemetry';
import { describeResultStore } from './result-store.contract.ts';
import { createClickhouseStore } from './store-clickhouse.ts';
import { createTargets } from './targets.ts';

const migrationsDir = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
const log = pino({ level: 'silent' });

async function openStore(options: { dataDir: string; url?: string }, cleanUp: () => Promise<void>) {
  const telemetry = await openTelemetry({ ...options, migrationsDir, log });
  const { series } = telemetry;
  const store = createClickhouseStore({
    store: telemetry.store,
    series,
    targets: createTargets({ clock: systemClock }),
    clock: systemClock,
  });
  const close = async () => {
    await telemetry.close();
    await cleanUp();
  };
  return { store, series, close };
}

describeResultStore('chDB', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-results-'));
  return openStore({ dataDir }, () => rm(dataDir, { recursive: true, force: true }));
});

const unavailable = clickHouseUnavailable();
if (unavailable) process.stderr.write(`SKIPPED: ${unavailable}\n`);

describe.skipIf(unavailable !== undefined)('fleet', () => {
  describeResultStore('a ClickHouse server', async () => {
    const server = await startClickHouse();
    return openStore({ dataDir: '/nonexistent', url: server.url }, () => server.stop());
  });
});
