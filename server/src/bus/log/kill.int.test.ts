import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Topic } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createLogBus } from '../log.ts';

const CHILD = new URL('kill-child.ts', import.meta.url).pathname;
const ROUND = 1_000_000;

/** Lets a child publish for a while and kills it; what it had said to be acknowledged. */
async function publishAndKill(folder: string, round: number): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, folder, String(round * ROUND)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const exited = once(child, 'exit');
  while (said === '' && child.exitCode === null) await sleep(5);
  await sleep(150 + Math.random() * 400);
  child.kill('SIGKILL');
  const [, signal] = await exited;
  expect(signal).toBe('SIGKILL');
  return said.slice(0, said.lastIndexOf('\n')).split('\n');
}

test('kill -9 under load, again and again: everything acknowledged is there, once and in order', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-kill-'));
  try {
    // A group that stands still from before the first life keeps every message.
    const topic = 'svc.endpoint.results' as Topic;
    const log = pino({ level: 'silent' });
    const first = await createLogBus({ folder, log });
    await first.subscribe({ topic, group: 'check' }, async () => {});
    await first.close();

    const acknowledged: string[] = [];
    for (let round = 0; round < 5; round++) acknowledged.push(...(await publishAndKill(folder, round)));
    expect(acknowledged.length).toBeGreaterThan(1000);

    const bus = await createLogBus({ folder, log });
    const found = new Map<string, number[]>();
    const subscription = await bus.subscribe({ topic, group: 'check' }, async ({ messages }) => {
      for (const message of messages) {
        const [tenant, number] = message.value.toString().split(':') as [string, string];
        expect(message.value.length).toBe(900);
        const list = found.get(tenant) ?? [];
        found.set(tenant, list);
        list.push(Number(number));
      }
    });
    while ((await subscription.lag()) > 0) await sleep(20);
    await bus.close();
    for (const numbers of found.values()) {
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    }
    const all = new Set([...found].flatMap(([tenant, numbers]) => numbers.map((number) => `${tenant}:${number}`)));
    expect(acknowledged.filter((id) => !all.has(id))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
