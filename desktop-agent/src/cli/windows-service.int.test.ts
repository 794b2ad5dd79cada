import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IPC_PROTOCOL } from '@svc/contracts/agent/ipc';
import { startWindows, type WindowsMachine, windowsMissing, windowsPath } from '@svc/native/testing/windows-machine';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { builtAgent, startAgent } from '../testing/agent-process.ts';
import { type ControlPlane, startControlPlane } from '../testing/control-plane.ts';

const missing = await windowsMissing();
if (missing) console.warn(`Windows does not run here: ${missing}`);

const SC = 'C:\\windows\\system32\\sc.exe';
const ASK = join(import.meta.dirname, '../../../native/src/testing/ask-service.c');
const VISIT = join(import.meta.dirname, '../testing/visit-seat.ts');

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
/** An identity that the service finds: enrolment is a child's, and wine breaks those. */
async function enrolHere(plane: ControlPlane, args: readonly string[] = []): Promise<void> {
  const here = startAgent({
    args: ['run', '--enroll-stdin', '--server', plane.url, ...args],
    stateDir,
    input: `${plane.token}\n`,
    env: { SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '1' },
  });
  const came = args.length > 0 ? plane.statuses : plane.received;
  await vi.waitFor(() => expect(came.length).toBeGreaterThan(0), { timeout: 20_000 });
  here.child.kill('SIGTERM');
  await here.exited;
}
const HELLO = { call: 'hello', input: { protocol: IPC_PROTOCOL, face: 'window' } };
const LEDGER = { call: 'ledger', input: { limit: 10 } };
/** What a face of another process is told. */
async function visit(calls: readonly object[]): Promise<unknown[]> {
  const { output } = await windows.run(VISIT, [seatFile(), JSON.stringify([HELLO, ...calls])]);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
const seatFile = () => windowsPath(join(stateDir, 'seat.pipe'));
async function startService(...args: string[]): Promise<void> {
  const set = {
    SVC_AGENT_STATE_DIR: windowsPath(stateDir),
    SVC_AGENT_SEAT_SOCKET: seatFile(),
    SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '1',
  };
  const command = windows.serviceCommand(builtAgent, ['run', '--service', ...args], { output: join(stateDir, 'words'), set });
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
      await enrolHere(plane);
      const sinceMs = Date.now();
      await startService();
      await until('4 0 0 0 0');
      const ofWindows = () => plane.received.filter((one) => Date.parse(one.started_at) > sinceMs).map((one) => one.canary_type);
      await vi.waitFor(() => expect(ofWindows()).toContain('endpoint.attribution'), { timeout: 40_000 });
      expect(plane.statuses.at(-1)).toMatchObject({ os: 'windows', state: 'running' });
      await vi.waitFor(async () => expect(await log()).toContain('unavailable: hostFacts'), 10_000);
      await windows.run(SC, ['stop', 'svc-agent']);
      await until('1 0 0 0 0');
    } finally {
      await plane.close();
    }
  });

  it('is shown and answered by who sits at the machine, as a process of theirs, and measures then', async () => {
    const plane = await startControlPlane();
    try {
      await enrolHere(plane, ['--window']);
      await startService('--seat');
      await until('4 0 0 0 0');
      await vi.waitFor(() => expect(plane.statuses.at(-1)).toMatchObject({ os: 'windows', disclosure: 'not_shown' }), 20_000);
      expect(plane.received).toEqual([]);
      // Somebody else's state directory: nothing of the service is in it.
      const theirs = { SVC_AGENT_STATE_DIR: windowsPath(join(stateDir, 'theirs')), SVC_AGENT_SEAT_SOCKET: seatFile() };
      const shown = await visit([
        { call: 'disclosure', input: {} },
        { call: 'answerDisclosure', input: { answer: 'shown' } },
      ]);
      expect(shown).toContainEqual({ id: 2, output: { disclosure: 'shown' } });
      await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(0), { timeout: 40_000 });
      expect(plane.statuses.at(-1)).toMatchObject({ disclosure: 'shown', face: 'headless' });
      await vi.waitFor(async () => expect(JSON.stringify(await visit([LEDGER]))).toContain('endpoint.attribution'), 20_000);
      expect(await windows.run(builtAgent, ['pause', '15'], theirs)).toMatchObject({ code: 0 });
      await vi.waitFor(() => expect(plane.statuses.at(-1)).toMatchObject({ state: 'paused' }), 5000);
      await windows.run(SC, ['stop', 'svc-agent']);
      await until('1 0 0 0 0');
    } finally {
      await plane.close();
    }
  });
});
