import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire, Module } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppImageUpdater } from 'electron-updater';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { feedPath, newReleaseKey, type ReleaseServer, startReleaseServer } from '../testing/release-server.ts';
import type { SelfUpdater } from './self-installer.ts';
import type { Release } from './trial.ts';
import { UpdateFault } from './update-fault.ts';
import { createUpdates, type Updates, type UpdatesDeps, type WaitingUpdate } from './updates.ts';

/** electron-updater itself, on a program that is a shell script: only Electron's `app` is stood in for. */
let releases: ReleaseServer;
beforeAll(async () => {
  standInForElectron();
  releases = await startReleaseServer();
});
afterAll(() => releases.close());

/** electron-updater emits on Electron's own updater at a restart; the package in its place would try to fetch a binary. */
function standInForElectron(): void {
  const require = createRequire(createRequire(import.meta.url).resolve('electron-updater'));
  const path = require.resolve('electron');
  const stub = new Module(path);
  stub.exports = { autoUpdater: new EventEmitter() };
  require.cache[path] = stub;
}

let folder: string;
let told: WaitingUpdate[];
let quits: number;
let updater: SelfUpdater;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-update-'));
  await mkdir(join(folder, 'cache'));
  told = [];
  quits = 0;
  releases.files.clear();
  releases.asked.length = 0;
  await writeFile(join(folder, 'agent.AppImage'), '#!/bin/sh\necho old\n', { mode: 0o755 });
  vi.stubEnv('APPIMAGE', join(folder, 'agent.AppImage'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function createUpdater(version: string): Promise<SelfUpdater> {
  const config = join(folder, 'app-update.yml');
  await writeFile(config, 'provider: generic\nurl: https://nowhere.invalid\nupdaterCacheDirName: agent\n');
  return new AppImageUpdater(null, {
    version,
    name: 'agent',
    isPackaged: true,
    appUpdateConfigPath: config,
    userDataPath: folder,
    baseCachePath: join(folder, 'cache'),
    whenReady: async () => undefined,
    relaunch: () => undefined,
    quit: () => {
      quits += 1;
    },
    onQuit: () => undefined,
  });
}

async function open(part: Partial<UpdatesDeps> = {}): Promise<Updates> {
  const version = part.version ?? '1.0.0';
  updater = await createUpdater(version);
  return createUpdates({
    version,
    platform: 'linux',
    arch: 'x64',
    pins: { keys: [releases.key], builtAtMs: 0 },
    installedBy: 'self',
    folder,
    source: async () => ({ server: releases.server, ring: 'main' }),
    updater: () => updater,
    onUpdate: (update) => told.push(update),
    log: () => undefined,
    ...part,
  });
}

const faultOf = async (updates: Updates): Promise<string> =>
  await updates.check().then(
    (outcome) => `no fault but ${JSON.stringify(outcome)}`,
    (error) => (error instanceof UpdateFault ? error.code : `${error}`),
  );
const askedFiles = (): string[] => releases.asked.filter((path) => path.includes('/files/'));
const leftOver = (): string[] => {
  const pending = join(folder, 'cache', 'agent', 'pending');
  try {
    return readdirSync(pending).filter((name) => name.endsWith('.AppImage'));
  } catch {
    return [];
  }
};

describe('a newer version', () => {
  it('is downloaded once its signature holds, told once, and put in place of the program at a restart', async () => {
    const ran = join(folder, 'ran');
    releases.publish({}, Buffer.from(`#!/bin/sh\necho new > ${ran}\n`));
    const updates = await open();
    const outcome = { kind: 'waiting', version: '2.0.0', how: 'restart' };
    expect(await updates.check()).toEqual(outcome);
    expect(await updates.check()).toEqual(outcome);
    expect(told).toEqual([{ version: '2.0.0', how: 'restart' }]);
    expect(askedFiles()).toEqual(['/agent/releases/main/files/2.0.0/agent-2.0.0.AppImage']);
    expect(updates.restart()).toBe(true);
    await vi.waitFor(() => expect(quits).toBe(1));
    await vi.waitFor(() => expect(readFileSync(ran, 'utf8')).toBe('new\n'), { timeout: 10_000 });
    const placed = await readFile(join(folder, 'agent.AppImage'), 'utf8');
    expect(placed).toContain('echo new');
    expect((await stat(join(folder, 'agent.AppImage'))).mode & 0o111).not.toBe(0);
  });

  it('is taken on the second asking where the feed was published between', async () => {
    releases.publish({ version: '1.0.0', serial: 10 });
    const updates = await open();
    expect(await updates.check()).toEqual({ kind: 'none' });
    releases.publish({ version: '1.1.0', serial: 11 });
    expect(await updates.check()).toMatchObject({ kind: 'waiting', version: '1.1.0' });
    releases.publish({ version: '1.2.0', serial: 12 });
    expect(await updates.check()).toMatchObject({ kind: 'waiting', version: '1.2.0' });
    expect(told.map(({ version }) => version)).toEqual(['1.1.0', '1.2.0']);
  });

  it('is fetched anew where it was repaired under the same number while it waits, and not told again', async () => {
    releases.publish({ serial: 20 });
    const updates = await open();
    await updates.check();
    const repaired = Buffer.from('#!/bin/sh\necho repaired\n');
    releases.publish({ serial: 21 }, repaired);
    expect(await updates.check()).toEqual({ kind: 'waiting', version: '2.0.0', how: 'restart' });
    expect(askedFiles()).toHaveLength(2);
    expect(told).toHaveLength(1);
    const [name = ''] = leftOver();
    expect(readFileSync(join(folder, 'cache', 'agent', 'pending', name))).toEqual(repaired);
  });

  it.each(['repository', 'mdm'] as const)('is only told where the %s installs it: nothing is downloaded', async (installedBy) => {
    releases.publish();
    const updates = await open({ installedBy });
    expect(await updates.check()).toEqual({ kind: 'waiting', version: '2.0.0', how: 'tell' });
    expect(told).toEqual([{ version: '2.0.0', how: 'tell' }]);
    expect(updates.restart()).toBe(false);
    expect(askedFiles()).toEqual([]);
  });

  it('waits for this device’s ring', async () => {
    releases.publish({ ring: 'canary' });
    const ring: { name: 'main' | 'canary' } = { name: 'main' };
    const updates = await open({ source: async () => ({ server: releases.server, ring: ring.name }) });
    expect(await updates.check()).toEqual({ kind: 'none' });
    ring.name = 'canary';
    expect(await updates.check()).toMatchObject({ version: '2.0.0' });
  });

  it('asks nobody from a checkout, without a pinned key, without an enrolment, and on a system without releases', async () => {
    releases.publish();
    for (const part of [
      { installedBy: 'checkout' },
      { pins: { keys: [], builtAtMs: 0 } },
      { source: async () => undefined },
      { platform: 'freebsd' },
      { arch: 'riscv64' },
    ] satisfies Partial<UpdatesDeps>[])
      expect(await (await open(part)).check()).toEqual({ kind: 'unavailable' });
    expect(releases.asked).toEqual([]);
  });
});

describe('a lower version', () => {
  it('is not taken, also from another ring', async () => {
    releases.publish({ version: '0.9.0' });
    expect(await (await open()).check()).toEqual({ kind: 'none' });
    expect(askedFiles()).toEqual([]);
  });

  it('is taken where the signed feed says rollback, and not once more by an old one', async () => {
    const rollback = { version: '0.9.0', rollback: true, serial: 2000 };
    releases.publish(rollback);
    expect(await (await open({ pins: { keys: [releases.key], builtAtMs: 3000 } })).check()).toEqual({ kind: 'none' });
    expect(askedFiles()).toEqual([]);
    const updates = await open();
    expect(await updates.check()).toMatchObject({ kind: 'waiting', version: '0.9.0', how: 'restart' });
    expect(updater.allowDowngrade).toBe(true);
    releases.publish({ version: '1.1.0', serial: 2001 });
    expect(await updates.check()).toMatchObject({ version: '1.1.0' });
    expect(updater.allowDowngrade).toBe(false);
    releases.publish(rollback);
    expect(await faultOf(updates)).toBe('replayed');
  });
});

describe('a feed is refused before any file is asked for', () => {
  afterEach(() => {
    expect(askedFiles()).toEqual([]);
    expect(told).toEqual([]);
  });

  it('without a signature', async () => {
    releases.publish();
    releases.files.delete(`${feedPath('main')}.sig`);
    expect(await faultOf(await open())).toBe('unsigned');
  });

  it('with another key, another algorithm, or changed by one byte', async () => {
    const updates = await open({ pins: { keys: [newReleaseKey().key], builtAtMs: 0 } });
    releases.publish();
    expect(await faultOf(updates)).toBe('bad_signature');
    const own = await open();
    const path = `${feedPath('main')}.sig`;
    const signature = JSON.parse(String(releases.files.get(path)));
    releases.files.set(path, Buffer.from(JSON.stringify({ ...signature, alg: 'HS256' })));
    expect(await faultOf(own)).toBe('bad_signature');
    releases.publish();
    const feed = String(releases.files.get(feedPath('main')));
    releases.files.set(feedPath('main'), Buffer.from(feed.replace('2.0.0', '9.0.0')));
    expect(await faultOf(own)).toBe('bad_signature');
  });

  it('of another ring or another system, well signed', async () => {
    releases.publish({ ring: 'canary' });
    for (const ending of ['', '.sig'])
      releases.files.set(`${feedPath('main')}${ending}`, releases.files.get(`${feedPath('canary')}${ending}`) ?? Buffer.alloc(0));
    expect(await faultOf(await open())).toBe('wrong_ring');
    releases.publish({ feed: 'latest-mac.yml' });
    for (const ending of ['', '.sig'])
      releases.files.set(
        `${feedPath('main')}${ending}`,
        releases.files.get(`${feedPath('main', 'latest-mac.yml')}${ending}`) ?? Buffer.alloc(0),
      );
    expect(await faultOf(await open())).toBe('wrong_feed');
  });

  it('older than one that was accepted, also after a restart of the program', async () => {
    releases.publish({ version: '1.0.0', serial: 5000 });
    expect(await (await open()).check()).toEqual({ kind: 'none' });
    releases.publish({ version: '2.0.0', serial: 4999 });
    expect(await faultOf(await open())).toBe('replayed');
  });

  it('expired, or signed without an expiry: held back or played again', async () => {
    const lines: string[] = [];
    const { expiresAt } = releases.publish();
    const endMs = Date.parse(expiresAt ?? '');
    let now = endMs;
    const updates = await open({ now: () => now, log: (line) => lines.push(line) });
    await expect(updates.check()).rejects.toMatchObject({
      code: 'expired',
      message: expect.stringMatching(`expired on ${expiresAt}; the installed version stays. This device's clock says`),
    });
    // A clock that jumped far ahead costs updates only as long as it is wrong.
    now = Date.parse('2099-01-01T00:00:00Z');
    expect(await faultOf(updates)).toBe('expired');
    releases.publish({ version: '1.0.0' });
    now = endMs - 1000;
    expect(await updates.check()).toEqual({ kind: 'none' });
    const { expiresAt: _, ...forEver } = releases.publish();
    releases.sign(forEver);
    expect(await faultOf(updates)).toBe('expired');
  });

  it('expired by what was signed later, where the clock of the device lags', async () => {
    const serial = Date.now();
    releases.publish({ version: '1.0.0', serial });
    const now = () => 0;
    expect(await (await open({ now })).check()).toEqual({ kind: 'none' });
    releases.publish({ serial, expiresAt: new Date(serial - 1000).toISOString() });
    expect(await faultOf(await open({ now }))).toBe('expired');
    expect(
      await faultOf(await open({ now, folder: join(folder, 'cache'), pins: { keys: [releases.key], builtAtMs: serial } })),
    ).toBe('expired');
  });

  it('too large, not what was promised, or without a file for this system', async () => {
    releases.files.set(feedPath('main'), Buffer.alloc(70_000, 32));
    expect(await faultOf(await open())).toBe('bad_feed');
    releases.publish();
    releases.files.set(feedPath('main'), (_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect(await faultOf(await open())).toBe('unreachable');
    const { files } = releases.publish();
    releases.publish({ files: files.map((file) => ({ ...file, url: 'files/1.9.0/agent.AppImage' })) });
    expect(await faultOf(await open())).toBe('bad_feed');
    releases.publish({ files: files.map((file) => ({ ...file, url: 'files/2.0.0/agent.deb' })) });
    expect(await faultOf(await open())).toBe('no_file');
  });

  it('from a server whose certificate the enrolment’s pin does not lead to', async () => {
    releases.publish();
    const other = { ...releases.server, pin: 'A'.repeat(43) };
    expect(await faultOf(await open({ source: async () => ({ server: other, ring: 'main' }) }))).toBe('untrusted_server');
    const unpinned = { url: releases.server.url };
    expect(await faultOf(await open({ source: async () => ({ server: unpinned, ring: 'main' }) }))).toBe('untrusted_server');
    expect(releases.asked).toEqual([]);
  });
});

describe('a file is refused and nothing is left of it', () => {
  const file = '/agent/releases/main/files/2.0.0/agent-2.0.0.AppImage';
  const content = Buffer.alloc(300_000, 'x');
  afterEach(async () => {
    expect(told).toEqual([]);
    expect(leftOver()).toEqual([]);
    expect(await readFile(join(folder, 'agent.AppImage'), 'utf8')).toContain('echo old');
  });

  it('with another hash: of a larger version too', async () => {
    releases.publish({}, content);
    releases.files.set(file, Buffer.alloc(300_000, 'y'));
    const updates = await open();
    expect(await faultOf(updates)).toBe('bad_hash');
    expect(updates.waiting()).toBeUndefined();
    expect(updates.restart()).toBe(false);
    expect(quits).toBe(0);
  });

  it('larger than signed, announced or not', async () => {
    releases.publish({}, content);
    releases.files.set(file, Buffer.alloc(300_001));
    expect(await faultOf(await open())).toBe('bad_size');
    releases.files.set(file, (_, response) => response.writeHead(200).end(Buffer.alloc(400_000)));
    expect(await faultOf(await open())).toBe('bad_size');
  });

  it('cut in the middle, and taken whole the next time', async () => {
    releases.publish({}, content);
    releases.files.set(file, (_, response) => {
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 100_000), () => response.destroy());
    });
    const updates = await open();
    expect(await faultOf(updates)).toBe('cut_off');
    releases.files.set(file, (_, response) => response.writeHead(200).end(content.subarray(0, 100_000)));
    expect(await faultOf(updates)).toBe('cut_off');
    expect(leftOver()).toEqual([]);
    releases.files.set(file, content);
    expect(await updates.check()).toMatchObject({ kind: 'waiting' });
    expect(leftOver()).toEqual(['agent-2.0.0.AppImage']);
    told.length = 0;
    await rm(join(folder, 'cache'), { recursive: true });
  });

  it('missing', async () => {
    releases.publish({}, content);
    releases.files.delete(file);
    expect(await faultOf(await open())).toBe('unreachable');
  });

  const noDisk = process.platform !== 'linux' || process.getuid?.() !== 0;
  if (noDisk) process.stderr.write('SKIPPED: an update on a full disk: mounting a small disk needs Linux and root\n');
  it.skipIf(noDisk)('on a full disk, and taken once there is room', async () => {
    releases.publish({}, content);
    const cache = join(folder, 'cache');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', cache]);
    try {
      const updates = await open();
      expect(await faultOf(updates)).toBe('disk_full');
      expect(leftOver()).toEqual([]);
      execFileSync('mount', ['-o', 'remount,size=1m', cache]);
      expect(await updates.check()).toMatchObject({ kind: 'waiting' });
      told.length = 0;
    } finally {
      execFileSync('umount', ['-l', cache]);
      await chmod(cache, 0o700);
    }
  });
});

describe('a newer version on trial', () => {
  it('is downloaded only once this one is kept, and not again after it was taken back', async () => {
    const { files } = releases.publish({ serial: 4000 });
    const full = { prepare: () => Promise.reject(new Error('ENOSPC')), isRefused: async () => false };
    expect(await faultOf(await open({ trial: full }))).toBe('not_installed');
    expect(askedFiles()).toEqual([]);
    const prepared: string[] = [];
    const trial = {
      prepare: async ({ version }: Release) => void prepared.push(version),
      isRefused: async ({ version, sha512 }: Release) => version === '2.0.0' && sha512 === files[0]?.sha512,
    };
    expect(await (await open({ trial })).check()).toEqual({ kind: 'none' });
    expect(prepared).toEqual([]);
    releases.publish({ version: '2.0.1', serial: 5000 });
    expect(await (await open({ trial })).check()).toMatchObject({ kind: 'waiting', version: '2.0.1' });
    expect(prepared).toEqual(['2.0.1']);
    // The same number with another file: it was repaired.
    releases.publish({ serial: 6000 }, Buffer.from('#!/bin/sh\necho repaired\n'));
    expect(await (await open({ trial })).check()).toMatchObject({ kind: 'waiting', version: '2.0.0' });
    expect(prepared).toEqual(['2.0.1', '2.0.0']);
  });
});
