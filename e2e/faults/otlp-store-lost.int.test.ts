import { type ClickHouseServer, clickHouseUnavailable, startClickHouse } from '@svc/testkit/clickhouse';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  newOtlpInstallation,
  OTLP_TENANT,
  type OtlpInstallation,
  type OtlpSender,
  openGrpcClient,
  openHttpClient,
  startOtlpSender,
} from './otlp-senders.ts';
import { expectStoredOnce, type ReadRows, waitUntilStored } from './otlp-stored.ts';
import { cleanUp, get, type RunningServer, startServer, stopServer, svc } from './server-process.ts';

// One tenant may fill half of it: room for a slow sender's requests too before a quick one has filled that.
const LOG_BYTES = 160 * 1024 * 1024;

const unavailable = clickHouseUnavailable();
if (unavailable) process.stderr.write(`SKIPPED: OTLP while the ClickHouse server is away: ${unavailable}\n`);

describe.skipIf(unavailable)('the ClickHouse server goes away under OTLP', () => {
  let installation: OtlpInstallation;
  let clickhouse: ClickHouseServer;
  let server: RunningServer;
  const senders: OtlpSender[] = [];
  beforeAll(async () => {
    clickhouse = await startClickHouse();
    installation = await newOtlpInstallation({
      SVC_CLICKHOUSE_URL: clickhouse.url,
      SVC_BUS_LOG_MAX_BYTES: String(LOG_BYTES),
    });
    await svc(installation, ['migrate']);
    server = await startServer(installation);
  });
  afterAll(async () => {
    await Promise.all(senders.map((sender) => sender.stop()));
    await stopServer(server);
    await cleanUp(installation);
    await clickhouse.stop();
  });

  const read: ReadRows = async <Row>(sql: string) => {
    const { origin, username, password } = new URL(clickhouse.url);
    const answer = await fetch(`${origin}/?param_tenant=${OTLP_TENANT}&output_format_json_quote_64bit_integers=0`, {
      method: 'POST',
      headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': password },
      body: `${sql} FORMAT JSONEachRow`,
    });
    const body = await answer.text();
    if (!answer.ok) throw new Error(body);
    return body
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Row);
  };

  async function waitForMore(requests: number): Promise<void> {
    const before = senders.map(({ acknowledged }) => acknowledged.size);
    const grown = () => senders.every(({ acknowledged }, i) => acknowledged.size > (before[i] ?? 0) + requests);
    await vi.waitFor(() => expect(grown()).toBe(true), { timeout: 60_000 });
  }

  test('what is sent waits in the log to its bound, then senders are told when to come again; nothing is lost or doubled', async () => {
    senders.push(startOtlpSender('traces', { client: openGrpcClient(installation), padding: 4000 }));
    senders.push(startOtlpSender('logs', { client: openHttpClient(installation), padding: 4000 }));
    senders.push(startOtlpSender('metrics', { client: openGrpcClient(installation), lanes: 1 }));
    await waitForMore(50);
    await clickhouse.kill();
    // With an insert on its way or without: what is sent from now on waits.
    await waitForMore(20);
    const [traces, logs] = senders as [OtlpSender, OtlpSender];
    await vi.waitFor(
      () => {
        expect(traces.outcomes.get('grpc 14')).toBeGreaterThan(20);
        expect(logs.outcomes.get('http 503')).toBeGreaterThan(20);
      },
      { timeout: 60_000 },
    );
    expect([...traces.retries]).toEqual([expect.stringContaining('google.rpc.RetryInfo')]);
    expect([...logs.retries]).toEqual(['5']);
    await vi.waitFor(
      async () => {
        const { components } = JSON.parse((await get(installation, '/readyz')).body) as { components: Record<string, string> };
        expect(components).toMatchObject({ telemetry: 'failed', bus: 'degraded', otlp: 'degraded' });
      },
      { timeout: 20_000 },
    );

    await clickhouse.start();
    await waitForMore(50);
    await Promise.all(senders.map((sender) => sender.stop()));
    await waitUntilStored(installation);
    await expectStoredOnce(read, senders);
    await vi.waitFor(async () => expect((await get(installation, '/readyz')).status).toBe(200), { timeout: 20_000 });
    // Refusals only: nothing that the server had taken went without an answer.
    expect(senders.flatMap(({ outcomes }) => [...outcomes.keys()]).filter((each) => !/ (14|503)$/.test(each))).toEqual([]);
  });
});
