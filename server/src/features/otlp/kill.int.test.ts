import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOPICS } from '@svc/contracts/bus-topics';
import { decodeConforming } from '@svc/otlp-wire/test-conforming';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLogBus } from '#bus';
import { callGrpc, makeRequest, postHttp } from './test-clients.ts';
import { type TestReceiver, TOKENS } from './test-receiver.ts';

let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-otlp-kill-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function startChild(): Promise<TestReceiver> {
  const argv = ['--conditions=svc-source', join(import.meta.dirname, 'kill-child.ts'), folder];
  const started = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  child = started;
  for await (const line of createInterface({ input: started.stdout })) return JSON.parse(line) as TestReceiver;
  throw new Error('the receiver ended at its start');
}

/** So many are acknowledged in a round at least. */
const ENOUGH = 15;

/** Every service whose request was acknowledged before the process was gone: killed so long after it had answered enough of them. */
async function sendUntilKilled(target: TestReceiver, { round, afterMs }: { round: number; afterMs: number }): Promise<string[]> {
  const acknowledged: string[] = [];
  const enough = Promise.withResolvers<void>();
  let isUp = true;
  const sendOn = async (sender: number) => {
    const send = sender % 2 ? postHttp : callGrpc;
    for (let number = 0; isUp; number += 1) {
      const service = `${round}-${sender}-${number}`;
      const answer = await send(target, { token: TOKENS.acme, body: makeRequest('traces', { service, padBytes: 3000 }) }).catch(
        () => undefined,
      );
      if (answer?.status !== (sender % 2 ? 200 : 0)) continue;
      acknowledged.push(service);
      if (acknowledged.length === ENOUGH) enough.resolve();
    }
  };
  const sending = Promise.all(Array.from({ length: 8 }, (_, sender) => sendOn(sender)));
  await enough.promise;
  await sleep(afterMs);
  child?.kill('SIGKILL');
  isUp = false;
  await sending;
  return acknowledged;
}

async function readLog(): Promise<string[]> {
  const bus = await createLogBus({ folder, log: pino({ level: 'silent' }) });
  const found: string[] = [];
  const subscription = await bus.subscribe({ topic: TOPICS.otlpTraces, group: 'count' }, async ({ messages }) => {
    for (const { value } of messages)
      found.push(...(/"string_value":"(\d+-\d+-\d+)"/.exec(JSON.stringify(decodeConforming('traces', value)))?.slice(1) ?? []));
  });
  await expect.poll(() => subscription.lag(), { timeout: 10_000 }).toBe(0);
  await subscription.close();
  await bus.close();
  return found;
}

it('kill -9 under load loses nothing that was acknowledged', async () => {
  const acknowledged: string[] = [];
  for (const [round, afterMs] of [300, 700].entries())
    acknowledged.push(...(await sendUntilKilled(await startChild(), { round, afterMs })));
  expect(acknowledged.length).toBeGreaterThan(2 * ENOUGH - 1);
  const found = new Set(await readLog());
  expect(acknowledged.filter((service) => !found.has(service))).toEqual([]);
});
