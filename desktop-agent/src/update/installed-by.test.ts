import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newReleaseKey } from '../testing/release-server.ts';
import { feedNameOf } from './feed-of-system.ts';
import { findInstalledBy, type Installation } from './installed-by.ts';
import { RELEASE_PINS_FILE, readReleasePins } from './release-pins.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-installed-'));
});
afterEach(() => rm(folder, { recursive: true }));

const find = (part: Partial<Installation>) =>
  findInstalledBy({
    platform: 'linux',
    isPackaged: true,
    execPath: join(folder, 'agent.exe'),
    appImage: undefined,
    isManaged: false,
    ...part,
  });

it('tells who replaces the program', async () => {
  expect(await find({ isPackaged: false, appImage: '/a.AppImage' })).toBe('checkout');
  expect(await find({})).toBe('repository');
  expect(await find({ appImage: '/home/ada/agent.AppImage' })).toBe('self');
  expect(await find({ appImage: '/home/ada/agent.AppImage', isManaged: true })).toBe('mdm');
  expect(await find({ platform: 'win32' })).toBe('mdm');
  await writeFile(join(folder, 'Uninstall Network check.exe'), '');
  expect(await find({ platform: 'win32' })).toBe('self');
  expect(await find({ platform: 'darwin' })).toBe('self');
});

it('names the feeds as electron-updater asks for them', () => {
  const named = [
    ['win32', 'x64'],
    ['darwin', 'arm64'],
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['win32', 'arm64'],
    ['aix', 'ppc64'],
  ] as const;
  expect(named.map(([platform, arch]) => feedNameOf({ platform, arch }))).toEqual([
    'latest.yml',
    'latest-mac.yml',
    'latest-linux.yml',
    'latest-linux-arm64.yml',
    undefined,
    undefined,
  ]);
});

it('reads the pins of its package: none is none, a damaged one is a fault', async () => {
  expect(await readReleasePins(folder)).toEqual({ keys: [], builtAtMs: 0 });
  const pins = { keys: [newReleaseKey().key], builtAtMs: 7 };
  await writeFile(join(folder, RELEASE_PINS_FILE), JSON.stringify(pins));
  expect(await readReleasePins(folder)).toEqual(pins);
  await writeFile(join(folder, RELEASE_PINS_FILE), JSON.stringify({ ...pins, keys: ['AAAA'] }));
  await expect(readReleasePins(folder)).rejects.toThrow('P-256');
});
