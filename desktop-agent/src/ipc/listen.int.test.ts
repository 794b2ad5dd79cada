import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IPC_MAX_FRAME, IPC_PROTOCOL } from '@svc/contracts/agent/ipc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serviceStateOf } from '../testing/service-state.ts';
import { addressToConnect } from './address.ts';
import { connectToService } from './client.ts';
import { type FaceListener, listenForFaces } from './listen.ts';
import { createIpcServer, type FaceCalls, type IpcServer } from './server.ts';

const NOBODY = 65_534;
const canBeNobody = process.platform === 'linux' && process.getuid?.() === 0 && hasTool('setpriv');
function hasTool(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let stateDir: string;
let server: IpcServer;
let listener: FaceListener;
const refusals: (number | undefined)[] = [];
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'svc-ipc-'));
  refusals.length = 0;
  const calls = { watch: () => serviceStateOf() } as Partial<FaceCalls> as FaceCalls;
  server = createIpcServer({
    version: '1',
    calls,
    load: () => import('@svc/contracts/agent/ipc'),
    onFailure: () => undefined,
    onFaces: () => undefined,
  });
  listener = await listenForFaces({ stateDir, server, onRefused: (uid) => refusals.push(uid) });
});
afterEach(async () => {
  await listener.close();
  await rm(stateDir, { recursive: true, force: true });
});

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
  });
const hello = `{"id":0,"call":"hello","input":{"protocol":${IPC_PROTOCOL},"face":"window"}}\n`;

describe.skipIf(process.platform === 'win32')('the local socket', { timeout: 30_000 }, () => {
  it('is for its owner alone and takes faces', async () => {
    expect((await stat(listener.address)).mode & 0o777).toBe(0o600);
    const client = await connectToService(stateDir, 'cli');
    expect((await client.call('watch', {})).state).toBe('running');
    client.close();
    await vi.waitFor(() => expect(server.faces()).toBe(0));
    expect(listener.refused()).toBe(0);
  });

  it.runIf(canBeNobody)('refuses another user though the file modes would let them in, and counts it', async () => {
    await chmod(stateDir, 0o711);
    await chmod(listener.address, 0o666);
    const program = `
      const socket = require('node:net').connect(process.argv[1]);
      let text = '';
      socket.on('connect', () => socket.write(${JSON.stringify(hello)}));
      socket.on('data', (part) => { text += part; });
      socket.on('error', () => undefined);
      socket.on('close', () => console.log(JSON.stringify({ uid: process.getuid(), text })));`;
    const args = [`--reuid=${NOBODY}`, '--clear-groups', process.execPath, '-e', program, listener.address];
    const child = spawn('setpriv', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (part) => {
      text += part;
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect(JSON.parse(text)).toEqual({ uid: NOBODY, text: '' });
    expect([listener.refused(), refusals]).toEqual([1, [NOBODY]]);
    expect(server.faces()).toBe(0);
  });

  it('cuts off a frame over the bound while it is still coming, and who never reads', async () => {
    const flood = connect(await addressToConnect(stateDir));
    flood.resume();
    flood.write(hello);
    await vi.waitFor(() => expect(server.faces()).toBe(1));
    const over = closed(flood);
    flood.write('x'.repeat(IPC_MAX_FRAME + 2));
    await over;

    const deaf = connect(await addressToConnect(stateDir));
    deaf.pause();
    deaf.write(`${hello}{"id":1,"call":"watch","input":{}}\n`);
    await vi.waitFor(() => expect(server.watchers()).toBe(1));
    const large = serviceStateOf({ organisation: 'x'.repeat(100_000) });
    // The kernel's own buffers take the first of them.
    for (let n = 0; n < 60; n += 1) server.emit('state', large);
    await vi.waitFor(() => expect(server.faces()).toBe(0), 5000);
    deaf.destroy();
    const client = await connectToService(stateDir, 'window');
    expect((await client.call('watch', {})).state).toBe('running');
    client.close();
  });

  it('survives streams of random bytes beside a face that notices nothing', async () => {
    const client = await connectToService(stateDir, 'window');
    const ended = Array.from({ length: 40 }, async (_, n) => {
      const socket = connect(await addressToConnect(stateDir));
      socket.resume();
      const over = closed(socket);
      if (n % 2 === 0) socket.write(hello);
      for (let part = 0; part < 20; part += 1) socket.write(randomBytes(1 + ((n * 37 + part * 101) % 3000)));
      socket.end('\n');
      await over;
    });
    await Promise.all(ended);
    expect((await client.call('watch', {})).state).toBe('running');
    await vi.waitFor(() => expect(server.faces()).toBe(1));
    client.close();
  });

  it('takes the place of what a killed agent left, and says which path is too long', async () => {
    await listener.close();
    const leave = "require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))";
    spawnSync(process.execPath, ['-e', leave, listener.address]);
    expect((await stat(listener.address)).isSocket()).toBe(true);
    listener = await listenForFaces({ stateDir, server, onRefused: () => undefined });
    (await connectToService(stateDir, 'cli')).close();
    const deep = join(stateDir, 'x'.repeat(100));
    await expect(listenForFaces({ stateDir: deep, server, onRefused: () => undefined })).rejects.toThrow(/too long for a socket/);
  });
});
