import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWindows, type WindowsMachine, windowsMissing, windowsPath } from '@svc/native/testing/windows-machine';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { builtAgent, startAgent } from '../testing/agent-process.ts';
import { startControlPlane } from '../testing/control-plane.ts';

const missing = await windowsMissing();
if (missing) console.warn(`Windows does not run here: ${missing}`);

const SC = 'C:\\windows\\system32\\sc.exe';
const ASK = join(import.meta.dirname, '../../../native/src/testing/ask-service.c');

let windows: WindowsMachine;
let askService: string;
let stateDir: string;
beforeAll(async () => {
  if (missing) return;
  windows = await startWindows();
  askService = await windows.compile(ASK, 'ask-service.exe');
});
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'svc-agent-service-'));
});
afterEach(async () => {
  if (!missing) await windows.run(SC, ['delete', 'svc-agent']);
  await rm(stateDir, { recursive: true, force: true });
});
afterAll(async () => {
  if (!missing) await windows.stop();
});

const state = async () => (await windows.run(askService, ['svc-agent'])).output.trim();
const until = (expected: string) =>
  vi.waitFor(async () => expect(await state()).toBe(expected), { timeout: 40_000, interval: 300 });
const log = () => readFile(join(stateDir, 'agent.log'), 'utf8');
async function startService(): Promise<void> {
  const set = { SVC_AGENT_STATE_DIR: windowsPath(stateDir), SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '1' };
  const command = windows.serviceCommand(builtAgent, ['run', '--service'], { output: join(stateDir, 'words'), set });
  await windows.run(SC, ['delete', 'svc-agent']);
  expect(await windows.run(SC, ['create', 'svc-agent', 'binPath=', command])).toMatchObject({ code: 0 });
  expect(await windows.run(SC, ['start', 'svc-agent'])).toMatchObject({ code: 0 });
}

describe.skipIf(missing)("the built agent under Windows' service manager (wine)", { timeout: 120_000 }, () => {
  it('tells the manager with its own exit code that it cannot run, and its log why', async () => {
    await startService();
    await until('1 1066 2 0 0');
    expect(await log()).toContain('not enrolled');
  });

  it('goes on without the child that wine breaks, measures, publishes, and stops when told', async () => {
    const plane = await startControlPlane();
    try {
      const args = ['run', '--enroll-stdin', '--server', plane.url];
      const here = startAgent({ args, stateDir, input: `${plane.token}\n`, env: { SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '1' } });
      await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(0), { timeout: 20_000 });
      here.child.kill('SIGTERM');
      await here.exited;
      const sinceMs = Date.now();
      await startService();
      await until('4 0 0 0 0');
      const ofWindows = () => plane.received.filter((one) => Date.parse(one.started_at) > sinceMs).map((one) => one.canary_type);
      await vi.waitFor(() => expect(ofWindows()).toContain('endpoint.attribution'), { timeout: 40_000 });
      expect(plane.statuses.at(-1)).toMatchObject({ os: 'windows', state: 'running' });
      expect(await log()).toContain('unavailable: hostFacts');
      await windows.run(SC, ['stop', 'svc-agent']);
      await until('1 0 0 0 0');
    } finally {
      await plane.close();
    }
  });
});
