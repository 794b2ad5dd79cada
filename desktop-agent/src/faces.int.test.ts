import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
    await vi.waitFor(() => expect(face?.states.at(-1)).toMatchObject({ connected: true, state: 'running', disclosure: 'shown' }), wait);
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
});
