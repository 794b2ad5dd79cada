import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AgentProcess, startAgent } from '../testing/agent-process.ts';
import { type ControlPlane, startControlPlane } from '../testing/control-plane.ts';

const NOBODY = 65_534;
const QUICK = { SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '1', SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '1' };
const NO_SEAT = { SVC_AGENT_SEAT_SOCKET: '/nowhere/seat.sock' };
const wait = { timeout: 30_000, interval: 100 };

let plane: ControlPlane;
let stateDir: string;
let agent: AgentProcess | undefined;
beforeEach(async () => {
  [plane, stateDir] = await Promise.all([startControlPlane(), mkdtemp(join(tmpdir(), 'svc-status-'))]);
});
afterEach(async () => {
  agent?.child.kill('SIGKILL');
  await agent?.exited;
  agent = undefined;
  await plane.close();
  await rm(stateDir, { recursive: true, force: true });
});

const run = (uid?: number): void => {
  const args = ['run', '--enroll-stdin', '--server', plane.url];
  agent = startAgent({ args, stateDir, input: `${plane.token}\n`, env: QUICK, ...(uid === undefined ? {} : { uid }) });
};

async function ask(args: readonly string[] = [], uid?: number) {
  const started = startAgent({ args: ['status', ...args], stateDir, env: NO_SEAT, ...(uid === undefined ? {} : { uid }) });
  const code = await started.exited;
  return { code, text: started.text() };
}

const askJson = async (uid?: number) => JSON.parse((await ask(['--json'], uid)).text);

describe('svc-agent status', { timeout: 90_000 }, () => {
  it('says that none runs, where to start it, and what was kept', async () => {
    const never = await ask();
    expect(never).toMatchObject({ code: 3, text: expect.stringMatching(/does not run[\s\S]*svc-agent run[\s\S]*enrolled +no/) });
    run();
    await vi.waitFor(async () => expect((await askJson()).lastSent).not.toBeNull(), wait);
    agent?.child.kill('SIGTERM');
    expect(await agent?.exited).toBe(0);
    const stopped = await ask(['--json']);
    expect(stopped.code).toBe(3);
    expect(JSON.parse(stopped.text)).toMatchObject({
      running: false,
      server: plane.url,
      agentId: expect.any(String),
      lastSent: { at: expect.any(String), results: expect.any(Number) },
      waiting: null,
    });
  });

  it('tells of a running one in sentences and for programs, also while it is paused', async () => {
    run();
    await vi.waitFor(async () => expect((await ask()).code).toBe(0), wait);
    await vi.waitFor(async () => expect(await askJson()).toMatchObject({ running: true, connected: true }), wait);
    const words = await ask();
    expect(words.text).toMatch(/running +yes[\s\S]*connection +connected[\s\S]*paused until +not paused/);
    expect(words.text).toContain(plane.url);
    expect(await startAgent({ args: ['pause', '10'], stateDir }).exited).toBe(0);
    const paused = await ask();
    expect(paused.code).toBe(0);
    // With its date where it is tomorrow: shortly before midnight.
    expect(paused.text).toMatch(/^Paused until (\d{4}-\d\d-\d\d )?\d\d:\d\d/);
    expect(await askJson()).toMatchObject({ state: 'paused', pausedUntil: expect.stringContaining('T') });
  });

  it.skipIf(process.getuid?.() !== 0)('asks as its user where root asks, and tells anybody else to', async () => {
    await chown(stateDir, NOBODY, NOBODY);
    run(NOBODY);
    await vi.waitFor(async () => expect((await ask()).code).toBe(0), wait);
    expect((await askJson()).running).toBe(true);
    const other = await ask([], 1);
    expect(other).toMatchObject({ code: 4, text: expect.stringContaining('sudo svc-agent status') });
    expect(other.text).not.toContain('does not run');
    expect(await askJson(1)).toMatchObject({ running: null, advice: expect.stringContaining(stateDir) });
  });
});
