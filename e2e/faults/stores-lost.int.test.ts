import { type ClickHouseServer, clickHouseUnavailable, startClickHouse } from '@svc/testkit/clickhouse';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { enrolDevice, type Sender, startSender } from './senders.ts';
import {
  cleanUp,
  findLeftovers,
  get,
  type Installation,
  makeApiToken,
  makeEnrolToken,
  newInstallation,
  postmasterOf,
  type RunningServer,
  startServer,
  stopServer,
  svc,
} from './server-process.ts';
import { waitForShown } from './shown-results.ts';

async function expectAllShown(installation: Installation, token: string, sender: Sender): Promise<void> {
  await vi.waitFor(() => expect(sender.waiting()).toBe(0), { timeout: 30_000 });
  expect(sender.acknowledged).toEqual(sender.spooled);
  const shown = await waitForShown({ installation, token, agentId: sender.agentId }, sender.spooled.size);
  const ids = shown.map((one) => one.result_id);
  expect(ids.length).toBe(new Set(ids).size);
  expect(new Set(ids)).toEqual(sender.spooled);
}

describe('the embedded PostgreSQL is killed', () => {
  let installation: Installation;
  let server: RunningServer;
  let sender: Sender | undefined;
  beforeAll(async () => {
    installation = await newInstallation();
    server = await startServer(installation);
  });
  afterAll(async () => {
    await sender?.stop();
    await stopServer(server);
    await cleanUp(installation);
  });

  test('the server names it, ends with 1, leaves nothing running, and the next start loses nothing', async () => {
    const enrolToken = await makeEnrolToken(installation, 1);
    const token = await makeApiToken(installation);
    sender = startSender({ credentials: await enrolDevice(server.url, enrolToken, 'device') });
    const end = sender.keepAdding(10);
    const flowing = sender;
    await vi.waitFor(() => expect(flowing.acknowledged.size).toBeGreaterThan(100), { timeout: 30_000 });

    process.kill(postmasterOf(installation), 'SIGKILL');
    expect(await server.exited).toBe(1);
    expect(server.output()).toContain('PostgreSQL stopped unexpectedly');
    await vi.waitFor(() => expect(findLeftovers(installation)).toEqual([]), { timeout: 10_000 });

    server = await startServer(installation);
    await end();
    await expectAllShown(installation, token, flowing);
  });
});

describe.skipIf(clickHouseUnavailable())('the ClickHouse server goes away for a while', () => {
  let installation: Installation;
  let clickhouse: ClickHouseServer;
  let server: RunningServer;
  let sender: Sender | undefined;
  beforeAll(async () => {
    clickhouse = await startClickHouse();
    installation = await newInstallation({ SVC_CLICKHOUSE_URL: clickhouse.url });
    await svc(installation, ['migrate']);
    server = await startServer(installation);
  });
  afterAll(async () => {
    await sender?.stop();
    await stopServer(server);
    await cleanUp(installation);
    await clickhouse.stop();
  });

  test('it is named in /readyz, results are still taken, and all are shown once it is back', async () => {
    const enrolToken = await makeEnrolToken(installation, 1);
    const token = await makeApiToken(installation);
    sender = startSender({ credentials: await enrolDevice(server.url, enrolToken, 'device') });
    const end = sender.keepAdding(10);
    const flowing = sender;
    await vi.waitFor(() => expect(flowing.acknowledged.size).toBeGreaterThan(100), { timeout: 30_000 });

    await clickhouse.kill();
    const before = flowing.acknowledged.size;
    await vi.waitFor(
      async () => {
        const { status, body } = await get(installation, '/readyz');
        expect(status).toBe(503);
        expect(JSON.parse(body)).toMatchObject({ components: { telemetry: 'failed', results: 'degraded', relational: 'ok' } });
      },
      { timeout: 20_000, interval: 500 },
    );
    await vi.waitFor(() => expect(flowing.acknowledged.size).toBeGreaterThan(before + 100), { timeout: 20_000 });

    await clickhouse.start();
    await end();
    await expectAllShown(installation, token, flowing);
    await vi.waitFor(async () => expect((await get(installation, '/readyz')).status).toBe(200), { timeout: 20_000 });
  });
});
