import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { cleanEnv, root } from '../env.ts';
import { agentProgram, ensureAgentBuilt } from './built-programs.ts';
import { enrolDevice } from './senders.ts';
import {
  cleanUp,
  type Installation,
  makeApiToken,
  makeEnrolToken,
  newInstallation,
  type RunningServer,
  startServer,
  stopServer,
} from './server-process.ts';
import { readShown, waitForShown } from './shown-results.ts';

/** As `what-is-sent --json` prints it. */
interface LedgerLine {
  kind: string;
  sha256?: string;
  sent?: { result_id?: string };
  receipt?: { of: string; state: string };
}

let installation: Installation;
let server: RunningServer;
let enrolToken: string;
let token: string;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  installation = await newInstallation();
  server = await startServer(installation);
  enrolToken = await makeEnrolToken(installation, 2);
  token = await makeApiToken(installation);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  expect(await stopServer(server)).toBe(0);
  await cleanUp(installation);
});

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { cwd: root, env: cleanEnv(env), stdio: ['pipe', 'pipe', 'inherit'] });
  children.add(child);
  child.stdin.on('error', () => {});
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const exited = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      children.delete(child);
      resolve(signal ?? code ?? -1);
    });
  });
  return { child, output: () => output, exited };
}

test('kill -9 of a device while it publishes: nothing that was spooled is lost, nothing is shown twice', async () => {
  const credentials = await enrolDevice(server.url, enrolToken, 'killed');
  const file = join(installation.dataDir, '..', 'credentials.json');
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
  const args = [join(import.meta.dirname, 'sender-process.ts'), file, join(installation.dataDir, '..', 'spool')];
  const spooled: string[] = [];
  const waiting: number[] = [];
  const read = (output: string): void => {
    // What stands after the last line's end was cut off by the kill.
    const whole = output.slice(0, output.lastIndexOf('\n') + 1);
    for (const [, id] of whole.matchAll(/^spooled (\S+)$/gm)) spooled.push(id as string);
    waiting.push(Number(/^waiting (\d+)$/m.exec(whole)?.[1]));
  };
  for (let life = 0; life < 3; life += 1) {
    const sender = start(args);
    await vi.waitFor(() => expect(sender.output()).toMatch(/^acknowledged [1-9]/m), { timeout: 30_000 });
    await sleep(Math.random() * 400);
    sender.child.kill('SIGKILL');
    expect(await sender.exited).toBe('SIGKILL');
    read(sender.output());
  }
  const last = start(args);
  last.child.stdin.end();
  expect(await last.exited).toBe(0);
  read(last.output());

  // The kills came in the midst of it: some lives began with what the one before had left.
  expect(Math.max(...waiting)).toBeGreaterThan(0);
  expect(new Set(spooled).size).toBe(spooled.length);
  const reader = { installation, token, agentId: credentials.identity.agentId };
  // By id, not by number: a life may end between spooling some and saying so, and those are shown as well.
  await vi.waitFor(
    async () => {
      const shown = (await readShown(reader)).map((one) => one.result_id);
      expect(shown.length).toBe(new Set(shown).size);
      expect(spooled.filter((id) => !new Set(shown).has(id))).toEqual([]);
    },
    { timeout: 30_000, interval: 300 },
  );
});

test('kill -9 of the real agent: it goes on as the same device, with every result that its ledger names shown once', async () => {
  await ensureAgentBuilt();
  const env = {
    SVC_AGENT_STATE_DIR: join(installation.dataDir, '..', 'agent-state'),
    SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '1',
    SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '1',
    SVC_ENDPOINT_SESSION_INTERVAL_SECONDS: '5',
  };
  const agent = (...args: string[]) => start(['--no-deprecation', agentProgram, ...args], env);
  const enrolling = agent('run', '--enroll-stdin', '--server', server.url);
  enrolling.child.stdin.end(`${enrolToken}\n`);
  const readLedger = async (): Promise<LedgerLine[]> => {
    const ledger = agent('what-is-sent', '--json');
    expect(await ledger.exited).toBe(0);
    const lines = ledger.output().split('\n');
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  };
  // Status and enrolment are in it as well; results have an id.
  const sent = async (): Promise<string[]> => (await readLedger()).flatMap((line) => line.sent?.result_id ?? []);
  await vi.waitFor(async () => expect((await sent()).length).toBeGreaterThan(0), { timeout: 60_000, interval: 1000 });
  enrolling.child.kill('SIGKILL');
  await enrolling.exited;
  const before = await sent();

  const again = agent('run');
  await vi.waitFor(async () => expect((await sent()).length).toBeGreaterThan(before.length), { timeout: 60_000, interval: 1000 });
  again.child.kill('SIGTERM');
  expect(await again.exited).toBe(0);

  const delivered = new Set(await sent());
  // What left beside results has the control plane's own receipt as well.
  const lines = await readLedger();
  const signed = new Set(lines.flatMap(({ receipt }) => (receipt?.state === 'signed' ? [receipt.of] : [])));
  for (const kind of ['enrol', 'status', 'results']) {
    const [first] = lines.filter((line) => line.kind === kind);
    expect(signed.has(first?.sha256 ?? ''), kind).toBe(true);
  }
  expect(lines.every(({ receipt }) => receipt?.state !== 'invalid')).toBe(true);
  const identity = agent('diagnose', '--json');
  await identity.exited;
  const agentId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(identity.output())?.[0] ?? '';
  const shown = (await waitForShown({ installation, token, agentId }, delivered.size)).map((one) => one.result_id);
  expect(shown.length).toBe(new Set(shown).size);
  expect([...delivered].filter((id) => !new Set(shown).has(id))).toEqual([]);
  expect(before.length).toBeGreaterThan(0);
  expect((await readShown({ installation, token, agentId })).every((one) => one.agent_id === agentId)).toBe(true);
});
