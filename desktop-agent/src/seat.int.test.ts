import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { IPC_PROTOCOL } from '@svc/contracts/agent/ipc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { builtAgent } from './testing/agent-process.ts';
import { type ControlPlane, startControlPlane } from './testing/control-plane.ts';

/** The service's user, and two people of one machine. */
const [SERVICE, ANA, BEN] = [65_534, 61_001, 61_002];

/** Why this machine cannot have a seat: root makes the mount that stands for logind's folder. */
function seatMissing(): string | undefined {
  if (process.platform !== 'linux') return 'Linux only';
  if (process.getuid?.() !== 0) return 'root is needed';
  try {
    execFileSync('unshare', ['-m', 'sh', '-c', 'mount --bind /tmp /run/systemd && ldconfig -p | grep -q libsystemd.so.0'], {
      stdio: 'ignore',
    });
    return undefined;
  } catch {
    return 'mount namespaces, /run/systemd or libsystemd are missing';
  }
}
const missing = seatMissing();
if (missing) process.stderr.write(`SKIPPED: faces of whoever sits at the machine: ${missing}\n`);

let folder: string;
let plane: ControlPlane;
let agent: ChildProcess | undefined;
let words = '';
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-seat-'));
  chmodSync(folder, 0o755);
  for (const name of ['state', 'run']) {
    mkdirSync(join(folder, name), { mode: 0o755 });
    chownSync(join(folder, name), SERVICE, SERVICE);
  }
  chmodSync(join(folder, 'state'), 0o700);
  mkdirSync(join(folder, 'logind', 'seats'), { recursive: true });
  plane = await startControlPlane();
  words = '';
});
afterEach(async () => {
  const ended = agent && agent.exitCode === null ? new Promise((resolve) => agent?.once('exit', resolve)) : undefined;
  agent?.kill('SIGTERM');
  await ended;
  await plane?.close();
  rmSync(folder, { recursive: true, force: true });
});

const seat = (): string => join(folder, 'run', 'seat.sock');
const sitDown = (uid: number): void =>
  writeFileSync(join(folder, 'logind', 'seats', 'seat0'), `IS_SEAT0=1\nACTIVE=2\nACTIVE_UID=${uid}\n`);
const asUser = (uid: number): string[] => [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];

/** A service of the machine, as its unit starts it; real libsystemd reads the folder that stands for logind's. */
function startService(): void {
  const inside = 'mount --bind "$1" /run/systemd && shift && exec setpriv "$@"';
  const program = [process.execPath, '--no-deprecation', builtAgent, 'run', '--seat', '--enroll-stdin', '--server', plane.url];
  const args = ['-m', 'sh', '-c', inside, 'sh', join(folder, 'logind'), ...asUser(SERVICE), ...program];
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: folder,
    SVC_AGENT_STATE_DIR: join(folder, 'state'),
    SVC_AGENT_SEAT_SOCKET: seat(),
    SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '1',
  };
  agent = spawn('unshare', args, { env, stdio: 'pipe' });
  for (const stream of [agent.stdout, agent.stderr])
    stream?.on('data', (part) => {
      words += part;
    });
  agent.stdin?.end(`${plane.token}\n`);
}

const HELLO = { call: 'hello', input: { protocol: IPC_PROTOCOL, face: 'window' } };
const ASK = `
  const [path, asked, stay] = process.argv.slice(1);
  const socket = require('node:net').connect(path);
  const calls = JSON.parse(asked);
  let told = '';
  socket.on('connect', () => { for (const [id, call] of calls.entries()) socket.write(JSON.stringify({ id, ...call }) + '\\n'); });
  socket.on('data', (part) => {
    told += part;
    if (stay !== 'stay' && told.split('\\n').length > calls.length) socket.end();
    if (stay === 'stay') process.stderr.write('in');
  });
  socket.on('error', () => undefined);
  socket.on('close', () => { console.log(told); process.exit(); });`;

/** What a face of this user is told until it leaves or is cut off; `inside` resolves when it was let in. */
function visit(uid: number, calls: readonly object[], stay?: 'stay') {
  const args = [...asUser(uid), process.execPath, '-e', ASK, seat(), JSON.stringify(calls), stay ?? ''];
  const child = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const inside = new Promise((resolve) => child.stderr.once('data', resolve));
  return { inside, told: text(child.stdout).then((all) => all.trim()) };
}

describe.skipIf(missing)('the service of a machine', { timeout: 60_000 }, () => {
  it('is shown and answered by whoever sits there, measures then, and refuses everybody else', async () => {
    sitDown(ANA);
    startService();
    await vi.waitFor(() => expect(plane.statuses.at(-1)).toMatchObject({ disclosure: 'not_shown', device_name: '' }), 20_000);
    const answer = [HELLO, { call: 'disclosure', input: {} }, { call: 'answerDisclosure', input: { answer: 'shown' } }];
    const refused = await Promise.all([BEN, 0, SERVICE].map((uid) => visit(uid, answer).told));
    expect(refused).toEqual(['', '', '']);
    await vi.waitFor(() => expect(words).toMatch(/Refused user (61002|0|65534) at the socket/), 5000);
    expect([plane.received, plane.statuses.at(-1)?.disclosure]).toEqual([[], 'not_shown']);

    const lines = (await visit(ANA, answer).told).split('\n').map((line) => JSON.parse(line));
    expect(lines).toContainEqual({ id: 2, output: { disclosure: 'shown' } });
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(0), 20_000);
    expect(plane.statuses.at(-1)?.disclosure).toBe('shown');
  });

  it('lets go of who leaves the seat, and lets in who takes it', async () => {
    sitDown(ANA);
    startService();
    await vi.waitFor(() => expect(plane.statuses.length).toBeGreaterThan(0), 20_000);
    const ana = visit(ANA, [HELLO], 'stay');
    await ana.inside;
    await vi.waitFor(() => expect(plane.statuses.at(-1)?.face).toBe('window'), 5000);
    sitDown(BEN);
    expect(await ana.told).toContain('"protocol"');
    expect(await visit(ANA, [HELLO]).told).toBe('');
    expect(await visit(BEN, [HELLO]).told).toContain('"protocol"');
    rmSync(join(folder, 'logind', 'seats', 'seat0'));
    expect(await visit(BEN, [HELLO]).told).toBe('');
  });
});
