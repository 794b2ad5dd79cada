import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLedger } from '../publish/ledger.ts';
import { startAgent } from '../testing/agent-process.ts';
import { type ControlPlane, startControlPlane } from '../testing/control-plane.ts';

let plane: ControlPlane;
let stateDir: string;
beforeAll(async () => {
  [plane, stateDir] = await Promise.all([startControlPlane(), mkdtemp(join(tmpdir(), 'svc-agent-cli-'))]);
});
afterAll(async () => {
  await plane.close();
  await rm(stateDir, { recursive: true, force: true });
});

async function call(args: readonly string[], env: Record<string, string> = {}) {
  const { exited, text } = startAgent({ args, stateDir, env });
  return { code: await exited, text: text() };
}

describe('svc-agent', () => {
  it.each([
    ['--help'],
    ['run', '--help'],
    ['enroll', '--help'],
    ['once', '--help'],
    ['status', '--help'],
    ['what-is-sent', '--help'],
    ['pause', '--help'],
    ['resume', '--help'],
    ['test', '--help'],
    ['consent', '--help'],
    ['diagnose', '--help'],
  ])('explains %s %s', async (...args) => {
    const { code, text } = await call(args.filter((arg) => arg !== undefined));
    expect(code).toBe(0);
    expect(text).toContain('svc-agent');
    expect(text.split('\n').length).toBeGreaterThan(3);
  });

  it.each([
    [[], 'COMMAND'],
    [['measure'], 'no command "measure"'],
    [['run', '--fast'], '--fast'],
    [['run'], 'not enrolled'],
    [['run', 'now'], 'now'],
    [['run', '--service'], 'Windows alone'],
    [['pause'], 'Give the minutes'],
    [['pause', '0'], 'Give the minutes'],
    [['pause', '1', '2'], 'one word too many'],
    [['consent', '__proto__'], 'consent accept'],
    [['enroll', '--token', 'x'], '--server'],
    [['enroll', '--server', 'http://x.example', '--token', 'x'], 'https'],
    [['enroll', '--server', 'https://x.example'], '--token'],
    [['enroll', '--server', 'https://127.0.0.1:9', '--token', 'nonsense'], 'no enrol token'],
  ])('answers bad usage %j with 2 and what to do', async (args, words) => {
    const { code, text } = await call(args);
    expect(code).toBe(2);
    expect(text).toContain(words);
  });

  it('shows what a terminal would obey, be it of whoever calls, a network or a server', async () => {
    const { code, text } = await call(['\u001b[2Jstatus\u009b31m']);
    expect(code).toBe(2);
    expect(text).toContain('There is no command "\\u001b[2Jstatus\\u009b31m".');
    const directory = await mkdtemp(join(tmpdir(), 'svc-terminal-'));
    const ledger = await openLedger({ directory: join(directory, 'ledger') }, (message) => expect.fail(message));
    const hostile = 'Caf\u00e9\u001b]0;owned\u0007\u009b2J\u202e';
    await ledger.append({
      kind: 'status',
      at: 0,
      server: hostile,
      results: [],
      message: { sent: { site: hostile }, withheld: {} },
    });
    await ledger.close();
    for (const args of [['what-is-sent'], ['what-is-sent', '--json']]) {
      const shown = startAgent({ args, stateDir: directory });
      expect(await shown.exited).toBe(0);
      expect(shown.text()).toContain('Caf\u00e9\\u001b]0;owned\\u0007\\u009b2J\\u202e');
      expect(shown.text()).not.toMatch(/\p{Cc}(?<!\n)|\u202e/u);
    }
    await rm(directory, { recursive: true });
  });

  it('shows what came as received, and a test of the line with its bytes', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-received-'));
    const ledger = await openLedger({ directory: join(directory, 'ledger') }, (message) => expect.fail(message));
    const common = { at: 0, server: 'svc.example:8444', results: [] };
    const told = { sent: { cause: 'wifi', others: 8 }, withheld: {} };
    await ledger.append({
      ...common,
      kind: 'load',
      bytes: 5_006_000,
      sha256: 'ab',
      message: { sent: { messages: 154 }, withheld: {} },
    });
    await ledger.append({ ...common, kind: 'told', direction: 'received', bytes: 27, sha256: 'cd', message: told });
    await ledger.close();
    const show = async (args: string[]) => {
      const shown = startAgent({ args: ['what-is-sent', ...args], stateDir: directory });
      expect(await shown.exited).toBe(0);
      return shown.text();
    };
    const text = await show([]);
    expect(text).toMatch(
      /load of a test of the line {2}to svc\.example:8444 {2}5006000 bytes {2}ab\n {4}sent {6}\{"messages":154\}/,
    );
    expect(text).toMatch(
      /what others at this site have too {2}from svc\.example:8444 {2}27 bytes {2}cd\n {4}received {2}\{"cause":"wifi"/,
    );
    expect(text).toContain('Messages sent: 1,');
    const [, received] = (await show(['--json'])).trim().split('\n');
    expect(JSON.parse(received ?? '')).toMatchObject({
      kind: 'told',
      direction: 'received',
      received: { cause: 'wifi', others: 8 },
    });
    await rm(directory, { recursive: true });
  });

  it('answers bad configuration with 2 and all faults, for every command', async () => {
    const env = { SVC_ENDPOINT_PRIVACY: 'lax', SVC_ENDPOINT_COLLECT_SSID: 'maybe' };
    for (const command of ['run', 'once', 'diagnose', 'what-is-sent']) {
      const { code, text } = await call([command], env);
      expect(code, command).toBe(2);
      expect(text).toMatch(/2 faults[\s\S]*PRIVACY[\s\S]*COLLECT_SSID/);
    }
  });

  it('answers what fails outside with 1', async () => {
    const { code, text } = await call(['enroll', '--server', 'https://127.0.0.1:9', '--token', plane.token]);
    expect(code).toBe(1);
    expect(text).toContain('cannot be reached');
    const refused = await call(['enroll', '--server', plane.url, '--token', plane.token.replace('aaaa', 'bbbb')]);
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('not valid here') });
  });

  it.each(['/dev/null/state', '/proc/nowhere/state'])(
    'says that the state directory %s cannot be written',
    async (unwritable) => {
      const args = ['enroll', '--server', plane.url, '--token', plane.token];
      const { exited, text } = startAgent({ args, stateDir: unwritable });
      expect(await exited).toBe(1);
      expect(text()).toContain(`The state directory ${unwritable} cannot be written`);
    },
  );

  it('diagnoses this device', async () => {
    const { code, text } = await call(['diagnose', '--json']);
    expect(code).toBe(0);
    const diagnosis = JSON.parse(text);
    expect(diagnosis).toMatchObject({ version: 1, system: { platform: process.platform }, cost: { cpuMs: expect.any(Number) } });
    const names = (list: { name: string }[]): string[] => list.map((one) => one.name);
    expect(names(diagnosis.readings)).toEqual(
      expect.arrayContaining(['wifi.rssi.dbm', 'gateway.address', 'path.ipv4.hops', 'resolvers']),
    );
    expect(names(diagnosis.permissions)).toEqual(['location', 'icmp', 'local_network']);
    expect(names(diagnosis.state)).toEqual(['enrolled', 'spool']);
    expect((await call(['diagnose'])).text).toMatch(/Readings[\s\S]*gateway\.address[\s\S]*Permissions[\s\S]*This agent/);
  });
});

it('enrols, runs, and shows what was sent, before and after minimising', { timeout: 60_000 }, async () => {
  // Enrolments that were refused left the device too.
  expect((await call(['what-is-sent'])).text).toMatch(/request to enrol[\s\S]*with 0 results/);
  const refused = (await call(['what-is-sent', '--json'])).text.trim().split('\n').length;
  const enrolled = await call(['enroll', '--server', plane.url, '--token', plane.token]);
  expect(enrolled).toMatchObject({ code: 0, text: expect.stringContaining('Enrolled as') });
  const agent = startAgent({ args: ['run'], stateDir, env: { SVC_ENDPOINT_PRIVACY: 'strict' } });
  await vi.waitFor(() => expect(plane.received.some((one) => one.canary_type === 'endpoint.gateway')).toBe(true), {
    timeout: 30_000,
  });
  agent.child.kill('SIGTERM');
  expect(await agent.exited).toBe(0);
  // Strict: neither the device's name nor an address of the local network left.
  expect(JSON.stringify(plane.received)).not.toMatch(/"(192\.168|10)\.\d+\.\d+/);
  expect(plane.statuses.at(0)).toMatchObject({ device_name: '', os_version: '', model: '' });
  const { code, text } = await call(['what-is-sent', '--json']);
  expect(code).toBe(0);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const results = lines.filter((line) => line.kind === 'results');
  expect(results.map((line) => line.sent.result_id)).toEqual(plane.received.map((one) => one.result_id));
  const enrolment = lines[refused];
  expect(enrolment).toMatchObject({ kind: 'enrol', server: plane.url, sent: { os: process.platform } });
  expect(enrolment.sent.device_name).toBe(enrolment.before.device_name);
  const status = lines.find((line) => line.kind === 'status');
  expect(status.sent).not.toHaveProperty('device_name');
  expect(status.before.device_name).toBe(enrolment.before.device_name);
  expect(lines.find((line) => line.kind === 'receipt').receipt.state).toBe('signed');
  const gateway = results.find((line) => line.sent.canary_type === 'endpoint.gateway');
  if (gateway.sent.present) {
    expect(gateway.sent.attributes['unavailable.network.gateway.address']).toBe('withheld');
    expect(gateway.before.attributes['network.gateway.address']).toMatch(/\d/);
  }
  expect((await call(['what-is-sent'])).text).toContain('the record is whole');
});
