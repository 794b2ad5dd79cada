import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pinOf } from '../../desktop-agent/src/identity/pin.ts';
import { createUpdates, type Updates } from '../../desktop-agent/src/update/updates.ts';
import {
  cleanUp,
  type Installation,
  newInstallation,
  type RunningServer,
  startServer,
  stopServer,
  svc,
} from './server-process.ts';

/** The agent's own look for a newer version, against a real control plane that releases are published on. */
let folder: string;
let installation: Installation;
let server: RunningServer;
let key: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-agent-releases-'));
  installation = await newInstallation();
  const made = await svc(installation, ['release', 'keygen', '--out', join(folder, 'release.key')]);
  key = /Public key {2}(\S+)/.exec(made)?.[1] ?? '';
  installation.env.SVC_RELEASE_PUBLIC_KEY = key;
  server = await startServer(installation);
});
afterAll(async () => {
  await stopServer(server);
  await cleanUp(installation);
  rmSync(folder, { recursive: true });
});

const open = (version: string, ring: 'canary' | 'main'): Updates =>
  createUpdates({
    version,
    platform: 'linux',
    arch: 'x64',
    pins: { keys: [key], builtAtMs: 0 },
    // A package of a repository: it only tells, and so needs no Electron.
    installedBy: 'repository',
    folder: mkdtempSync(join(folder, 'device-')),
    source: async () => {
      const ca = new X509Certificate(readFileSync(join(installation.dataDir, 'tls', 'ca.crt')));
      return { server: { url: server.url, pin: pinOf(ca) }, ring };
    },
    updater: () => {
      throw new Error('not asked for');
    },
    onUpdate: () => undefined,
    log: () => undefined,
  });

async function publish(version: string): Promise<void> {
  const dist = join(folder, version);
  mkdirSync(dist);
  writeFileSync(join(dist, `network-check-${version}-linux-x86_64.AppImage`), `the program ${version}`);
  const signing = ['--key', join(folder, 'release.key')];
  await svc(installation, ['release', 'publish', '--ring', 'canary', '--dir', dist, '--version', version, ...signing]);
}

test('a device hears of a version once its ring has it, and goes back only by a signed rollback', async () => {
  const canary = open('1.0.0', 'canary');
  expect(await canary.check()).toEqual({ kind: 'none' });
  await publish('1.1.0');
  expect(await canary.check()).toEqual({ kind: 'waiting', version: '1.1.0', how: 'tell' });
  const main = open('1.0.0', 'main');
  expect(await main.check()).toEqual({ kind: 'none' });
  const signing = ['--key', join(folder, 'release.key')];
  for (const ring of ['early', 'main']) await svc(installation, ['release', 'promote', '1.1.0', '--to', ring, ...signing]);
  expect(await main.check()).toMatchObject({ kind: 'waiting', version: '1.1.0' });

  await publish('1.2.0');
  const ahead = open('1.2.0', 'canary');
  expect(await ahead.check()).toEqual({ kind: 'none' });
  await svc(installation, ['release', 'promote', '1.1.0', '--to', 'canary', '--rollback', ...signing]);
  expect(await ahead.check()).toMatchObject({ kind: 'waiting', version: '1.1.0' });
}, 120_000);
