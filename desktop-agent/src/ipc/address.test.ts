import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addressToConnect, addressToListen, newPipeName, pipePath, seatToConnect } from './address.ts';

let stateDir: string;
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'svc-address-'));
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

it('is a socket in the state directory', async () => {
  expect(await addressToListen(stateDir, 'linux')).toBe(join(stateDir, 'agent.sock'));
  expect(await addressToConnect(stateDir, 'darwin')).toBe(join(stateDir, 'agent.sock'));
  const long = join(stateDir, 'ü'.repeat(40));
  await expect(addressToListen(long, 'linux')).rejects.toMatchObject({ code: 'usage' });
});

it('is on Windows a pipe of a new random name at each start, told in the state directory alone', async () => {
  await expect(addressToConnect(stateDir, 'win32')).rejects.toMatchObject({ code: 'unreachable' });
  const first = await addressToListen(stateDir, 'win32');
  expect(first).toMatch(/^\\\\\.\\pipe\\svc-agent-[0-9a-f]{32}$/);
  expect(await addressToConnect(stateDir, 'win32')).toBe(first);
  expect(await addressToListen(stateDir, 'win32')).not.toBe(first);
  expect((await stat(join(stateDir, 'agent.pipe'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(stateDir, 'agent.pipe'), 'utf8')).toHaveLength(32);
});

it.each(['', '..\\..\\other', 'x'.repeat(32), 'a'.repeat(31)])('takes no pipe of the name %j', async (name) => {
  await writeFile(join(stateDir, 'agent.pipe'), name);
  await expect(addressToConnect(stateDir, 'win32')).rejects.toMatchObject({ code: 'unreachable' });
  await expect(seatToConnect(join(stateDir, 'agent.pipe'), 'win32')).rejects.toMatchObject({ code: 'unreachable' });
});

it('is for a service of the machine its socket, on Windows the pipe that its file names', async () => {
  const file = join(stateDir, 'seat.pipe');
  expect(await seatToConnect(file, 'linux')).toBe(file);
  await expect(seatToConnect(file, 'win32')).rejects.toMatchObject({ code: 'unreachable' });
  const name = newPipeName();
  await writeFile(file, name);
  expect(await seatToConnect(file, 'win32')).toBe(pipePath(name));
});
