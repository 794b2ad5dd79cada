import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWindows, type WindowsMachine, windowsMissing, windowsPath } from '@svc/native/testing/windows-machine';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { builtAgent } from '../testing/agent-process.ts';

const missing = await windowsMissing();
if (missing) console.warn(`Windows does not run here: ${missing}`);

const SC = 'C:\\windows\\system32\\sc.exe';
const ASK = join(import.meta.dirname, '../../../native/src/testing/ask-service.c');

let windows: WindowsMachine;
let stateDir: string;
beforeAll(async () => {
  if (missing) return;
  stateDir = await mkdtemp(join(tmpdir(), 'svc-agent-service-'));
  windows = await startWindows();
});
afterAll(async () => {
  if (missing) return;
  await windows.run(SC, ['delete', 'svc-agent']);
  await windows.stop();
  await rm(stateDir, { recursive: true, force: true });
});

// An enrolled one does not come so far as to measure: it asks a child for the device's facts, and Node's pipes fail under wine.
it.skipIf(missing)('the built agent tells the service manager of Windows that it cannot run (wine)', async () => {
  const askService = await windows.compile(ASK, 'ask-service.exe');
  const output = join(stateDir, 'words');
  const set = { SVC_AGENT_STATE_DIR: windowsPath(stateDir) };
  const command = windows.serviceCommand(builtAgent, ['run', '--service'], { output, set });
  await windows.run(SC, ['delete', 'svc-agent']);
  expect(await windows.run(SC, ['create', 'svc-agent', 'binPath=', command])).toMatchObject({ code: 0 });
  expect(await windows.run(SC, ['start', 'svc-agent'])).toMatchObject({ code: 0 });
  const state = async () => (await windows.run(askService, ['svc-agent'])).output.trim();
  await vi.waitFor(async () => expect(await state()).toBe('1 1066 1 0 0'), { timeout: 40_000, interval: 300 });
  await vi.waitFor(async () => expect(await readFile(output, 'utf8')).toContain('not enrolled'), { timeout: 10_000 });
});
