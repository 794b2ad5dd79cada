import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The process of the demo as it is started: its page, its authority and what it remembers. */

interface Ready {
  type: string;
  page: string;
  caFile: string;
  connectors: { provider: string; values: Record<string, string> }[];
}

const folder = mkdtempSync(join(tmpdir(), 'svc-providers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start() {
  const child = fork(join(import.meta.dirname, 'main.ts'), ['--state', folder], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [ready] = (await once(child, 'message')) as [Ready];
  const stop = async (): Promise<void> => {
    child.disconnect();
    await once(child, 'exit');
  };
  return { ready, stop };
}

function call(
  url: string,
  more: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<{ status: number; text: string }> {
  const { method = 'GET', headers = {}, body } = more;
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, ca: readFileSync(join(folder, 'ca.crt')) }, (answer) => {
      text(answer).then((content) => resolve({ status: answer.statusCode ?? 0, text: content }), reject);
    });
    asked.once('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe('the providers of the demo', () => {
  let running: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running.stop());

  it('show what is opened there, and let a person act', async () => {
    const { page, connectors } = running.ready;
    const { url = '', credential = '' } = connectors.find(({ provider }) => provider === 'pager_a')?.values ?? {};
    const payload = { summary: 'Oslo is slow', source: 'oslo', severity: 'critical' };
    const event = { routing_key: credential, event_action: 'trigger', dedup_key: 'svc-1', payload };
    expect((await call(`${url}/v2/enqueue`, { method: 'POST', body: event })).status).toBe(202);
    const seen = async () =>
      JSON.parse((await call(`${page}state`)).text) as { kind: string; objects: { id: string; key: string; state: string }[] }[];
    const pagerOf = async () => (await seen()).find(({ kind }) => kind === 'pager_a')?.objects[0];
    const pager = await pagerOf();
    expect(pager).toMatchObject({ key: 'svc-1', state: 'open' });
    const body = { kind: 'pager_a', id: pager?.id, act: 'resolve' };
    expect((await call(`${page}act`, { method: 'POST', body })).status).toBe(404);
    expect((await call(`${page}act`, { method: 'POST', body, headers: { 'x-demo': '1' } })).status).toBe(204);
    expect(await pagerOf()).toMatchObject({ state: 'resolved' });
    expect((await call(page)).text).toContain('Simulated providers');
  });

  it('are away when a person says so', async () => {
    const { page, connectors } = running.ready;
    const mood = (to: string) =>
      call(`${page}mood`, { method: 'POST', body: { kind: 'chat_b', mood: to }, headers: { 'x-demo': '1' } });
    const post = () =>
      call(connectors.find(({ provider }) => provider === 'chat_b')?.values.credential ?? '', { method: 'POST', body: {} });
    expect((await mood('away')).status).toBe(204);
    expect((await post()).status).toBe(503);
    await mood('well');
    expect((await post()).status).toBe(202);
  });

  it('come back under the same addresses, credentials and authority', async () => {
    const before = running.ready;
    await running.stop();
    running = await start();
    expect(running.ready).toEqual(before);
  });
});
