import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { enrolDevice, type Sender, startSender } from './senders.ts';
import {
  cleanUp,
  findLeftovers,
  type Installation,
  makeApiToken,
  makeEnrolToken,
  newInstallation,
  type RunningServer,
  startServer,
  stopServer,
} from './server-process.ts';
import { waitForShown } from './shown-results.ts';

const DEVICES = 4;
const KILLS = 2;

let installation: Installation;
let server: RunningServer;
const senders: Sender[] = [];
beforeAll(async () => {
  installation = await newInstallation();
});
afterAll(async () => {
  await Promise.all(senders.map((sender) => sender.stop()));
  await cleanUp(installation);
});

async function killAndStartAgain(): Promise<void> {
  const before = senders.map((sender) => sender.connections());
  server.child.kill('SIGKILL');
  expect(await server.exited).toBe('SIGKILL');
  await vi.waitFor(() => expect(senders.some((sender) => sender.isConnected())).toBe(false), { timeout: 10_000 });
  server = await startServer(installation);
  await vi.waitFor(
    () => expect(senders.map((sender, index) => sender.connections() > (before[index] ?? 0))).toEqual(senders.map(() => true)),
    { timeout: 30_000, interval: 50 },
  );
}

test('kill -9 of the server while results flow: what was acknowledged is shown, and nothing twice', async () => {
  server = await startServer(installation);
  const enrolToken = await makeEnrolToken(installation, DEVICES);
  const token = await makeApiToken(installation);
  for (let device = 0; device < DEVICES; device += 1)
    senders.push(startSender({ credentials: await enrolDevice(server.url, enrolToken, `device-${device}`) }));
  const ends = senders.map((sender) => sender.keepAdding(10));

  for (let kill = 0; kill < KILLS; kill += 1) {
    const reached = senders.map((sender) => sender.acknowledged.size);
    await vi.waitFor(
      () => expect(senders.every((sender, index) => sender.acknowledged.size > (reached[index] ?? 0) + 100)).toBe(true),
      { timeout: 30_000 },
    );
    await sleep(Math.random() * 500);
    await killAndStartAgain();
  }
  for (const end of ends) await end();
  await vi.waitFor(() => expect(senders.map((sender) => sender.waiting())).toEqual(senders.map(() => 0)), { timeout: 30_000 });

  for (const { agentId, spooled, acknowledged, rejected } of senders) {
    expect(rejected()).toBe(0);
    expect(acknowledged.size).toBe(spooled.size);
    const shown = (await waitForShown({ installation, token, agentId }, spooled.size)).map((one) => one.result_id);
    expect(shown.length).toBe(new Set(shown).size);
    expect(new Set(shown)).toEqual(acknowledged);
  }
  await Promise.all(senders.map((sender) => sender.stop()));
  expect(await stopServer(server)).toBe(0);
  expect(findLeftovers(installation)).toEqual([]);
});
