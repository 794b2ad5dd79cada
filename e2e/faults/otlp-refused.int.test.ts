import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RecordOptions, requestOf, SIGNALS, UNCOUNTED } from './otlp-requests.ts';
import {
  newOtlpInstallation,
  type OtlpClient,
  type OtlpInstallation,
  type OtlpSender,
  openGrpcClient,
  openHttpClient,
  startOtlpSender,
} from './otlp-senders.ts';
import { expectStoredOnce, readStored, waitUntilStored, withStore } from './otlp-stored.ts';
import { cleanUp, get, type RunningServer, startServer, stopServer } from './server-process.ts';
import { moveToSmallDisk, noSmallDisk, type SmallDisk } from './small-disk.ts';

if (noSmallDisk) process.stderr.write(`SKIPPED: a full disk under the log of OTLP: ${noSmallDisk}\n`);

let installation: OtlpInstallation;
let server: RunningServer;
let disk: SmallDisk | undefined;
const senders: OtlpSender[] = [];
beforeAll(async () => {
  installation = await newOtlpInstallation();
  server = await startServer(installation);
});
afterAll(async () => {
  await Promise.all(senders.map((sender) => sender.stop()));
  await stopServer(server);
  disk?.unmount();
  await cleanUp(installation);
});

const YEAR_MS = 365.25 * 86_400_000;

/** Two records that are taken, around those that are given. */
const amongGood = (others: readonly Partial<RecordOptions>[], number: number): RecordOptions[] => {
  const good = { number, atMs: Date.now() - 1000 };
  const bad = others.map((other, i) => ({ number: number + 1 + i, item: 0, atMs: Date.now(), ...other }));
  return [{ ...good, item: 0 }, ...bad, { ...good, item: 1, atMs: good.atMs - 1 }];
};

describe('records that cannot be kept as they are', () => {
  let clients: OtlpClient[];
  beforeAll(() => {
    clients = [openGrpcClient(installation), openHttpClient(installation)];
  });
  afterAll(() => {
    for (const client of clients) client.close();
  });

  test('of 1970 and 2100 are refused one by one, by name and number', async () => {
    const clocks = [{ atMs: 1000 }, { atMs: 130 * YEAR_MS }];
    for (const [i, client] of clients.entries())
      for (const signal of SIGNALS) {
        const { outcome, body } = await client.send(signal, requestOf(signal, amongGood(clocks, UNCOUNTED + i * 100)));
        expect(outcome).toBe('ok');
        // partial_success { rejected 2, error_message }
        expect([body[0], ...body.subarray(2, 4)]).toEqual([0x0a, 8, 2]);
        expect(body.subarray(6).toString()).toMatch(/2 .*(old|time|clock|retention)/i);
      }
  });

  test('numbers that are none, and 10,000 attributes, are taken: left out or cut, and marked', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key.${i}`, 'v']));
    const numbers = [{ value: Number.NaN }, { value: Number.POSITIVE_INFINITY }, { value: Number.NEGATIVE_INFINITY }];
    for (const [i, client] of clients.entries()) {
      const metrics = await client.send('metrics', requestOf('metrics', amongGood(numbers, UNCOUNTED + i * 100 + 10)));
      expect(metrics.outcome).toBe('ok');
      for (const signal of ['traces', 'logs'] as const) {
        const record = { number: UNCOUNTED + i * 100 + 20, item: 0, atMs: Date.now(), attributes };
        expect((await client.send(signal, requestOf(signal, [record]))).outcome).toBe('ok');
      }
    }
  });
});

test.skipIf(noSmallDisk)('a full disk under the log: refused with when to come again, taken once there is room', async () => {
  expect(await stopServer(server)).toBe(0);
  const small = moveToSmallDisk(join(installation.dataDir, 'log'), { megabytes: 48 });
  disk = small;
  server = await startServer(installation);
  senders.push(startOtlpSender('traces', { client: openGrpcClient(installation) }));
  senders.push(startOtlpSender('logs', { client: openHttpClient(installation) }));
  senders.push(startOtlpSender('metrics', { client: openGrpcClient(installation) }));
  const waitForMore = async (requests: number) => {
    const before = senders.map(({ acknowledged }) => acknowledged.size);
    const grown = () => senders.every(({ acknowledged }, i) => acknowledged.size > (before[i] ?? 0) + requests);
    await vi.waitFor(() => expect(grown()).toBe(true), { timeout: 60_000 });
  };
  await waitForMore(100);
  small.fill();
  // While it refuses: what is stored makes room again, and that lasts for a while where the machine is slow.
  const toldFailed = vi.waitFor(
    async () => expect(JSON.parse((await get(installation, '/readyz')).body)).toMatchObject({ components: { bus: 'failed' } }),
    { timeout: 30_000, interval: 100 },
  );
  await vi.waitFor(
    () => {
      for (const { signal, outcomes } of senders)
        expect(outcomes.get(signal === 'logs' ? 'http 503' : 'grpc 14')).toBeGreaterThan(10);
    },
    { timeout: 20_000 },
  );
  await toldFailed;
  for (const { retries, signal } of senders)
    expect([...retries].join()).toMatch(signal === 'logs' ? /^[1-9]/ : /google\.rpc\.RetryInfo/);
  small.makeRoom();
  await waitForMore(100);
  await Promise.all(senders.map((sender) => sender.stop()));
  await waitUntilStored(installation);
});

test('the store holds what was acknowledged, once, and nothing else', async () => {
  await waitUntilStored(installation);
  expect(await stopServer(server)).toBe(0);
  await withStore(installation, async (read) => {
    await expectStoredOnce(read, senders);
    for (const signal of SIGNALS) {
      const rows = (await readStored(read, signal)).filter(({ number }) => number >= UNCOUNTED);
      const [second, rest] = signal === 'metrics' ? [10, 2] : [20, 1];
      const each = (from: number) => [
        { number: from, rows: 2, records: 2 },
        { number: from + second, rows: rest, records: rest },
      ];
      expect(rows.toSorted((a, b) => a.number - b.number)).toEqual([...each(UNCOUNTED), ...each(UNCOUNTED + 100)]);
    }
    for (const table of ['spans', 'logs']) {
      const cut = await read(`SELECT length(attributes) AS kept, attributes['svc.truncated'] AS mark FROM ${table}
        WHERE tenant_id = {tenant:String} AND has(mapKeys(attributes), 'svc.truncated')`);
      expect(cut).toEqual(Array(2).fill({ kept: 129, mark: 'true' }));
    }
    const odd = await read(`SELECT count() AS n FROM metric_points WHERE tenant_id = {tenant:String} AND NOT isFinite(value)`);
    expect(odd).toEqual([{ n: 0 }]);
  });
});
