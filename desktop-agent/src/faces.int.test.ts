import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readHelpdeskCode } from '@svc/contracts/agent/helpdesk-code';
import { COLLECT_ITEMS } from '@svc/contracts/agent/ipc';
import { canonicalJson } from '@svc/contracts/results/canonical-json';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AgentProcess, startAgent } from './testing/agent-process.ts';
import { type ControlPlane, startControlPlane } from './testing/control-plane.ts';
import { type WatchingFace, watchAgent } from './testing/face.ts';

let plane: ControlPlane;
let stateDir: string;
let agent: AgentProcess;
let face: WatchingFace | undefined;
beforeEach(async () => {
  [plane, stateDir] = await Promise.all([startControlPlane(), mkdtemp(join(tmpdir(), 'svc-face-'))]);
});
afterEach(async () => {
  face?.close();
  face = undefined;
  agent.child.kill('SIGKILL');
  await agent.exited;
  await plane.close();
  await rm(stateDir, { recursive: true, force: true });
});

const QUICK = {
  SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '1',
  SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '1',
  SVC_ENDPOINT_PATH_INTERVAL_SECONDS: '5',
  SVC_ENDPOINT_SESSION_INTERVAL_SECONDS: '5',
  SVC_AGENT_SITE: 'Lyon',
  SVC_AGENT_OWNER_EMAIL: 'ada@example.org',
};
const start = (args: string[] = [], env: Record<string, string> = QUICK): void => {
  agent = startAgent({
    args: ['run', '--enroll-stdin', '--server', plane.url, ...args],
    stateDir,
    input: `${plane.token}\n`,
    env,
  });
};
const wait = { timeout: 30_000, interval: 20 };

describe('a face over the service', { timeout: 120_000 }, () => {
  it('sees the state, pauses it within a second, and resumes it', async () => {
    start();
    face = await watchAgent(stateDir);
    await vi.waitFor(
      () => expect(face?.states.at(-1)).toMatchObject({ connected: true, state: 'running', disclosure: 'shown' }),
      wait,
    );
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(2), wait);
    await vi.waitFor(() => expect(plane.statuses.at(-1)?.face).toBe('window'), wait);

    const asked = Date.now();
    const { pausedUntilMs } = await face.call('pause', { minutes: 60 });
    expect(pausedUntilMs).toBeGreaterThan(asked + 59 * 60_000);
    await vi.waitFor(() => expect(plane.statuses.at(-1)?.state).toBe('paused'), { timeout: 1000, interval: 10 });
    expect(Math.abs((plane.statuses.at(-1)?.paused_until_ms ?? 0) - (pausedUntilMs ?? 0))).toBeLessThan(2000);
    await vi.waitFor(() => expect(face?.states.at(-1)?.state).toBe('paused'), { timeout: 1000, interval: 10 });
    // What was on its way when the person asked may still arrive within the second; nothing does after it.
    await sleep(1000 - (Date.now() - asked));
    const count = plane.received.length;
    await sleep(3000);
    expect(plane.received.length).toBe(count);
    expect(plane.received.every((one) => Date.parse(one.started_at) < asked + 1000)).toBe(true);
    await expect(face.call('testNow', {})).rejects.toMatchObject({ code: 'refused' });
    await expect(face.call('pause', { minutes: 1441 })).rejects.toMatchObject({ code: 'refused' });

    expect(await face.call('pause', { minutes: 0 })).toEqual({ pausedUntilMs: null });
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(count), wait);
    await vi.waitFor(() => expect(plane.statuses.at(-1)?.state).toBe('running'), wait);
  });

  it('tests deeper while nothing else is measured, and the command line says what was found', { timeout: 90_000 }, async () => {
    start();
    face = await watchAgent(stateDir);
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(2), wait);
    const asked = Date.now();
    expect(await face.call('testDeeper', {})).toMatchObject({ running: true, done: [], line: null });
    await expect(face.call('testNow', {})).rejects.toMatchObject({ code: 'busy' });
    await vi.waitFor(() => expect(face?.states.at(-1)?.deepTest?.running).toBe(false), { timeout: 31_000, interval: 50 });
    const result = face.states.at(-1)?.deepTest;
    expect(Date.now() - asked).toBeLessThan(30_000);
    expect(result).toMatchObject({ failed: false, line: { fault: null }, mtu: [] });
    expect(result?.line?.upload?.bytes).toBeGreaterThan(0);
    expect(result?.line?.download?.bytes).toBeGreaterThan(0);
    // All of them are of before: the load would be all that they see.
    const during = plane.received.filter(
      ({ started_at }) => Date.parse(started_at) > asked + 500 && Date.parse(started_at) < asked + 3000,
    );
    expect(during).toEqual([]);

    const command = startAgent({ args: ['test', '--deep'], stateDir });
    expect(await command.exited).toBe(0);
    expect(command.text()).toMatch(/^Sends and receives up to 11\sMB and takes up to 30\ss[\s\S]*Line under load[\s\S]*Gateway/);
  });

  it('shows each payload as the control plane has it, and everything on its pages fits the contract', async () => {
    start([], { ...QUICK, SVC_ENDPOINT_COLLECT_GATEWAY_IP: 'false' });
    face = await watchAgent(stateDir);
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(12), wait);
    await face.call('pause', { minutes: 15 });
    await sleep(1000);
    const shown: string[] = [];
    for (let before: number | undefined; ; ) {
      const page = await face.call('ledger', { limit: 2, ...(before === undefined ? {} : { before }) });
      expect(page.intact).toBe(true);
      for (const { id } of page.entries) {
        const { results } = await face.call('ledgerEntry', { id });
        shown.push(...results.map((one) => one.sent));
      }
      if (page.next === null) break;
      before = page.next;
    }
    expect(shown.filter((text) => 'canary_type' in JSON.parse(text)).toSorted()).toEqual(
      plane.received.map(canonicalJson).toSorted(),
    );

    const disclosure = await face.call('disclosure', {});
    expect(disclosure.items.map((item) => item.item).toSorted()).toEqual([...COLLECT_ITEMS].toSorted());
    const item = (name: string) => disclosure.items.find((one) => one.item === name);
    expect(item('gatewayIp')).toMatchObject({ on: false, decidedBy: 'device', yours: false });
    expect(item('deviceName')).toMatchObject({ on: true, decidedBy: 'default', yours: true });
    expect(item('session')).toMatchObject({ targets: [plane.url], decidedBy: 'default', on: true });
    expect(item('wifi')).toMatchObject({ decidedBy: 'device', everySeconds: 1 });
    expect(item('agent')?.last ?? item('session')?.last).not.toBeNull();

    const about = await face.call('about', {});
    expect(about).toMatchObject({ installedBy: 'checkout', ring: 'main', stateDir });
    expect(about.rssBytes).toBeGreaterThan(1e7);
    const helpdesk = await face.call('helpdesk', {});
    expect(readHelpdeskCode(helpdesk.code ?? '', Date.now())?.idTail).toBe(about.agentId?.slice(-7));
    expect(helpdesk.verdict?.cause).toBeDefined();
  });

  it('measures sessions through the proxy that a window finds, and says that it wants a password', async () => {
    const proxy = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n'));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    start();
    face = await watchAgent(stateDir);
    const asked: string[] = [];
    face.on('proxyWanted', ({ ask, url }) => {
      asked.push(url);
      void face?.call('proxyFound', { ask, proxy: `PROXY 127.0.0.1:${(proxy.address() as AddressInfo).port}; DIRECT` });
    });
    const refused = () => plane.received.filter((one) => one.error === 'PROXY_407');
    await vi.waitFor(() => expect(refused().length).toBeGreaterThan(0), wait);
    expect(refused()[0]?.attributes['error.phase']).toBe('proxy');
    expect(new Set(asked)).toEqual(new Set([`${plane.url}/healthz`]));
    await vi.waitFor(() => expect(face?.states.at(-1)?.sessions[0]).toMatchObject({ error: 'proxy PROXY_407' }), wait);
    // Without the window nobody knows of a proxy.
    face.close();
    const count = plane.received.length;
    const direct = () => plane.received.slice(count).some((one) => one.canary_type === 'endpoint.session' && one.success);
    await vi.waitFor(() => expect(direct()).toBe(true), wait);
    proxy.close();
  });

  it('tests now while a person watches, in under 30 seconds', async () => {
    start([], {});
    face = await watchAgent(stateDir);
    await vi.waitFor(() => expect(face?.states.at(-1)?.verdict).not.toBeNull(), wait);
    const began = Date.now();
    const test = await face.call('testNow', {});
    expect(test).toMatchObject({ running: true, done: [], failed: false });
    expect(await face.call('testNow', {})).toMatchObject({ startedMs: test.startedMs });
    await vi.waitFor(() => expect(face?.states.at(-1)?.test?.running).toBe(false), { timeout: 32_000, interval: 50 });
    expect(Date.now() - began).toBeLessThan(30_000);
    const last = face.states.at(-1);
    expect(last?.test).toMatchObject({ failed: false });
    expect(new Set(last?.test?.done)).toEqual(new Set(['wifi', 'route', 'sessions', 'resolvers', 'verdict']));
    expect(last?.verdict?.atMs).toBeGreaterThan(began);
    // No more than four states a second.
    expect(face.states.length).toBeLessThan(4 * 35);
  });
});
