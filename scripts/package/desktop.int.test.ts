import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findWhyNoDesktop, startTrayDesktop, type TrayDesktop } from '@svc/testkit/tray-desktop';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { setting } from '../env.js';
import { ensureTools, loadTool, packageDesktop } from './desktop.ts';

/** An Electron as it came out of its archive: a started one has written beside itself. */
function findElectron(): { dist: string; version: string } | undefined {
  const given = setting('SVC_TEST_ELECTRON_DIST');
  if (given === undefined) return undefined;
  const dist = [`${given}-clean`, given].find((folder) => existsSync(join(folder, 'electron')));
  if (dist === undefined) return undefined;
  const { stdout } = spawnSync(join(dist, 'electron'), ['--no-sandbox', '--version'], { encoding: 'utf8' });
  return { dist, version: stdout.trim().replace(/^v/, '') };
}

const electron = process.platform === 'linux' && process.arch === 'x64' ? findElectron() : undefined;
function whyNot(): string | undefined {
  if (!electron) return 'no Electron: set SVC_TEST_ELECTRON_DIST to the folder of one (Linux on x64)';
  try {
    ensureTools();
    return undefined;
  } catch (error) {
    return `electron-builder could not be installed: ${(error as Error).message}`;
  }
}
const reason = whyNot();
if (reason) process.stderr.write(`SKIPPED: the package with a window: ${reason}\n`);
const noDesktop = reason ?? findWhyNoDesktop();
if (!reason && noDesktop) process.stderr.write(`SKIPPED: starting the package with a window: ${noDesktop}\n`);

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ format: 'der', type: 'spki' })
  .toString('base64');
let out = '';
let unpacked = '';
let program = '';
let resources = '';
beforeAll(async () => {
  if (reason || !electron) return;
  out = mkdtempSync(join(tmpdir(), 'svc-packed-'));
  const env = { SVC_RELEASE_PUBLIC_KEY: key };
  await packageDesktop({ platform: 'linux', arch: 'x64', out, env, isFolder: true, electron });
  unpacked = join(out, 'linux-unpacked');
  program = join(unpacked, 'network-check');
  resources = join(unpacked, 'resources');
}, 240_000);
afterAll(() => rmSync(out, { recursive: true, force: true }));

function sizeOf(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

describe.skipIf(reason)('the packed program', () => {
  it('holds main, preload, page and pins in its archive, and nothing that could run natively', async () => {
    const asar = await loadTool('@electron/asar');
    const { listPackage, extractFile } = asar as {
      listPackage(path: string, options: object): string[];
      extractFile(path: string, name: string): Buffer;
    };
    const archive = join(resources, 'app.asar');
    const files = listPackage(archive, {});
    for (const name of [
      '/package.json',
      '/app/main.cjs',
      '/app/preload.cjs',
      '/app/renderer/index.html',
      '/app/renderer/index.js',
    ])
      expect(files).toContain(name);
    expect(files.filter((name) => /\.(node|map|ts|tsx)$|node_modules/.test(name))).toEqual([]);
    expect(JSON.parse(String(extractFile(archive, 'package.json'))).main).toBe('app/main.cjs');
    const pins = JSON.parse(String(extractFile(archive, 'app/release-pins.json')));
    expect(pins.keys).toEqual([key]);
    expect(Math.abs(pins.builtAtMs - Date.now())).toBeLessThan(600_000);
    expect(existsSync(`${archive}.unpacked`)).toBe(false);
  });

  it('has the service with its native part beside the archive, which a plain Node runs', () => {
    const service = join(resources, 'service');
    expect(existsSync(join(service, 'node_modules/@koromix/koffi-linux-x64/linux_x64/koffi.node'))).toBe(true);
    const run = (...args: string[]): string =>
      execFileSync(process.execPath, [join(service, 'svc-agent.mjs'), ...args], { encoding: 'utf8', env: { HOME: out } });
    expect(run('--version').trim()).toBe('0.1.0');
    expect(run('diagnose')).toMatch(/gateway/i);
  });

  it('has every fuse as it must be', async () => {
    const { getCurrentFuseWire, FuseV1Options, FuseState } = (await loadTool('@electron/fuses')) as {
      getCurrentFuseWire(path: string): Promise<Record<string, number>>;
      FuseV1Options: Record<string, number>;
      FuseState: Record<string, number>;
    };
    const wire = await getCurrentFuseWire(program);
    const state = (name: string) => wire[String(FuseV1Options[name])];
    for (const off of ['RunAsNode', 'EnableNodeOptionsEnvironmentVariable', 'EnableNodeCliInspectArguments'])
      expect([off, state(off)]).toEqual([off, FuseState.DISABLE]);
    for (const on of ['EnableCookieEncryption', 'EnableEmbeddedAsarIntegrityValidation', 'OnlyLoadAppFromAsar'])
      expect([on, state(on)]).toEqual([on, FuseState.ENABLE]);
  });

  it('is no Node for whoever asks it to be', () => {
    const asked = { encoding: 'utf8', timeout: 10_000, env: { ELECTRON_RUN_AS_NODE: '1' } } as const;
    const plain = spawnSync(join(electron?.dist ?? '', 'electron'), ['-p', '"a node"'], asked);
    expect(plain.stdout).toContain('a node');
    const packed = spawnSync(program, ['-p', '"a node"'], asked);
    expect(packed.stdout).not.toContain('a node');
  });

  it('is small beside Electron itself', () => {
    const bytes = sizeOf(resources);
    process.stderr.write(`Installed size without Electron's own files: ${(bytes / 1024 ** 2).toFixed(1)} MB\n`);
    expect(bytes).toBeLessThan(25 * 1024 ** 2);
    // What Electron brings and nothing else lies around it.
    const own = new Set([...readdirSync(electron?.dist ?? ''), 'network-check']);
    expect(readdirSync(unpacked).filter((name) => !own.has(name))).toEqual([]);
  });

  it('knows electron-updater’s cache, and no address of a feed', () => {
    const text = readFileSync(join(resources, 'app-update.yml'), 'utf8');
    expect(text).toContain('updaterCacheDirName: svc-agent-updater');
    expect(text).toContain('https://releases.invalid');
    expect(text).not.toContain('channel');
  });
});

describe.skipIf(noDesktop)('the packed program on a desktop', () => {
  let desktop: TrayDesktop;
  let app: ChildProcess | undefined;
  beforeAll(async () => {
    desktop = await startTrayDesktop();
  });
  afterAll(async () => {
    app?.kill('SIGKILL');
    await desktop?.stop();
  });

  it('starts, shows its window, starts its own service, opens no port for a debugger, and ends', async () => {
    const stateDir = join(desktop.home, 'state');
    const env = { ...desktop.env, SVC_AGENT_STATE_DIR: stateDir, SVC_TEST_NODE: process.execPath };
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    app = spawn(program, [...sandbox, '--disable-gpu', '--inspect=0'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [app.stdout, app.stderr]) stream?.on('data', (part) => (said += part));
    const ended = new Promise((resolve) => app?.once('exit', resolve));
    const windows = (): string =>
      spawnSync('xdotool', ['search', '--onlyvisible', '--pid', String(app?.pid)], { env, encoding: 'utf8' }).stdout.trim();
    await vi.waitFor(() => expect(windows(), said).not.toBe(''), { timeout: 30_000, interval: 250 });
    await vi.waitFor(() => expect(existsSync(join(stateDir, 'agent.sock')), said).toBe(true), { timeout: 30_000, interval: 250 });
    expect(said).not.toContain('Debugger listening');
    app.kill('SIGTERM');
    expect(await ended, said).toBe(0);
    await vi.waitFor(() => expect(existsSync(join(stateDir, 'agent.sock'))).toBe(false), { timeout: 20_000 });
  }, 120_000);
});
