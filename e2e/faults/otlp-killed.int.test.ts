import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  newOtlpInstallation,
  type OtlpInstallation,
  type OtlpSender,
  openGrpcClient,
  openHttpClient,
  startOtlpSender,
} from './otlp-senders.ts';
import { expectStoredOnce, readStored, waitUntilStored, withStore } from './otlp-stored.ts';
import { cleanUp, findLeftovers, type RunningServer, startServer, stopServer } from './server-process.ts';

const KILLS = 2;
const REQUESTS = 200;

let installation: OtlpInstallation;
let server: RunningServer;
const senders: OtlpSender[] = [];
beforeAll(async () => {
  installation = await newOtlpInstallation();
});
afterAll(async () => {
  await Promise.all(senders.map((sender) => sender.stop()));
  await stopServer(server);
  await cleanUp(installation);
});

async function waitForMore(requests: number): Promise<void> {
  const before = senders.map(({ acknowledged }) => acknowledged.size);
  await vi.waitFor(
    () => {
      for (const [i, { acknowledged }] of senders.entries())
        expect(acknowledged.size).toBeGreaterThan((before[i] ?? 0) + requests);
    },
    { timeout: 60_000 },
  );
}

test('kill -9 and a graceful stop under load: each acknowledged span, log record and point is stored once', async () => {
  server = await startServer(installation);
  senders.push(startOtlpSender('traces', { client: openGrpcClient(installation), padding: 2000 }));
  senders.push(startOtlpSender('logs', { client: openHttpClient(installation) }));
  senders.push(startOtlpSender('metrics', { client: openGrpcClient(installation) }));
  for (let kill = 0; kill < KILLS; kill += 1) {
    await waitForMore(REQUESTS);
    await sleep(Math.random() * 700);
    server.child.kill('SIGKILL');
    expect(await server.exited).toBe('SIGKILL');
    server = await startServer(installation);
  }
  await waitForMore(REQUESTS);

  for (const sender of senders) {
    sender.unanswered.clear();
    sender.outcomes.clear();
  }
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(findLeftovers(installation)).toEqual([]);
  // A connection may go while a request is on its way; what was taken is answered all the same.
  const cut = senders.map(({ unanswered }) => new Set(unanswered));
  const words = senders.flatMap((sender) => [...sender.outcomes.keys()]);
  expect(words.filter((each) => !/^(away|cut|http 503$|grpc 14$)/.test(each))).toEqual([]);

  server = await startServer(installation);
  await waitForMore(20);
  await Promise.all(senders.map((sender) => sender.stop()));
  await waitUntilStored(installation);
  expect(await stopServer(server)).toBe(0);
  await withStore(installation, async (read) => {
    await expectStoredOnce(read, senders);
    for (const [i, { signal }] of senders.entries()) {
      const numbers = (await readStored(read, signal)).map(({ number }) => number);
      expect(numbers.filter((number) => cut[i]?.has(number))).toEqual([]);
    }
  });
});
