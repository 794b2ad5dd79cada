import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findWhyNoDesktop, startTrayDesktop, type TrayDesktop } from '@svc/testkit/tray-desktop';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { electronProgram, whyNoElectron } from '../../e2e/env.ts';
import { newReleaseKey, type ReleaseServer, startReleaseServer } from '../testing/release-server.ts';

const reason = findWhyNoDesktop() ?? whyNoElectron;
if (reason) process.stderr.write(`SKIPPED: updates on a real Electron: ${reason}\n`);

/** The same code, TLS and signature on Electron's own Node and cryptography (BoringSSL), and electron-updater as it is there. */
describe.skipIf(reason)('on a real Electron', () => {
  let desktop: TrayDesktop;
  let releases: ReleaseServer;
  let folder: string;
  beforeAll(async () => {
    [desktop, releases] = await Promise.all([startTrayDesktop({ tray: false }), startReleaseServer()]);
    folder = await mkdtemp(join(tmpdir(), 'svc-update-electron-'));
    await build({
      entryPoints: [join(import.meta.dirname, '../testing/update-on-electron.ts')],
      outfile: join(folder, 'app', 'main.cjs'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node16',
      keepNames: true,
      external: ['electron'],
      logLevel: 'warning',
    });
    await writeFile(join(folder, 'app', 'package.json'), JSON.stringify({ name: 'a', version: '1.0.0', main: 'main.cjs' }));
    await writeFile(join(folder, 'app', 'dev-app-update.yml'), 'updaterCacheDirName: agent\n');
    await writeFile(join(folder, 'agent.AppImage'), 'old', { mode: 0o755 });
  });
  afterAll(async () => {
    await Promise.all([desktop.stop(), releases.close()]);
    await rm(folder, { recursive: true });
  });

  async function check(part: { key?: string; pin?: string } = {}): Promise<{ outcome: object; node: string }> {
    const kept = join(folder, `kept-${Math.random()}`);
    await mkdir(kept);
    const { key = releases.key, pin = releases.server.pin } = part;
    const asked = JSON.stringify({ key, folder: kept, ring: 'main', server: { url: releases.server.url, pin } });
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const child = spawn(electronProgram, [...sandbox, '--disable-gpu', join(folder, 'app'), asked], {
      env: { ...desktop.env, APPIMAGE: join(folder, 'agent.AppImage') },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return JSON.parse((await text(child.stdout)).split('\n').find((line) => line.startsWith('{')) ?? '{}');
  }

  it('a signed version is downloaded, checked and put in place at the end, and nothing else is', async () => {
    const artefact = Buffer.from(`#!/bin/sh\nexit 0\n${'#'.repeat(200_000)}\n`);
    releases.publish({}, artefact);
    expect(await check({ key: newReleaseKey().key })).toMatchObject({ outcome: { fault: 'bad_signature' } });
    expect(await check({ pin: 'A'.repeat(43) })).toMatchObject({ outcome: { fault: 'untrusted_server' } });
    expect(await readFile(join(folder, 'agent.AppImage'), 'utf8')).toBe('old');
    const path = '/agent/releases/main/files/2.0.0/agent-2.0.0.AppImage';
    releases.files.set(path, Buffer.alloc(artefact.length, 'o'));
    expect(await check()).toMatchObject({ outcome: { fault: 'bad_hash' } });
    releases.files.set(path, artefact);
    expect(await check()).toMatchObject({ outcome: { kind: 'waiting', version: '2.0.0', how: 'restart' } });
    // Electron ended, and electron-updater put what waits in the program's place.
    expect(await readFile(join(folder, 'agent.AppImage'))).toEqual(artefact);
  }, 120_000);
});
