import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../desktop-agent/src/testing/control-plane.ts';
import { findNfpm, packageHeadless } from './headless.ts';
import { readRpm } from './read-rpm.ts';

function whyNot(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'they are built for Linux on x64 here';
  if (spawnSync('dpkg-deb', ['--version']).status !== 0) return 'dpkg is missing';
  try {
    findNfpm();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
function whyNoRoot(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root';
  const overlay =
    'd=/mnt && mount -t tmpfs t $d && mkdir $d/u $d/w $d/r && mount -t overlay o -o lowerdir=/,upperdir=$d/u,workdir=$d/w $d/r';
  return spawnSync('unshare', ['-m', 'sh', '-c', overlay]).status === 0 ? undefined : 'this system mounts no overlay';
}
const reason = whyNot();
if (reason) process.stderr.write(`SKIPPED: the Linux packages without a window: ${reason}\n`);
const noRoot = reason ?? whyNoRoot();
if (!reason && noRoot) process.stderr.write(`SKIPPED: installing the deb: ${noRoot}\n`);

let out: string;
let deb = '';
let rpm = '';
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'svc-packages-'));
  if (reason) return;
  const built = await packageHeadless({ arch: 'x64', version: '0.1.0', out, sourceDate: 1_700_000_000, isSmall: false, env: {} });
  deb = built.find((path) => path.endsWith('.deb')) ?? '';
  rpm = built.find((path) => path.endsWith('.rpm')) ?? '';
}, 240_000);
afterAll(() => rmSync(out, { recursive: true, force: true }));

describe.skipIf(reason)('the packages without a window', () => {
  it('say who they are', () => {
    const field = (name: string): string => execFileSync('dpkg-deb', ['-f', deb, name], { encoding: 'utf8' }).trim();
    expect([field('Package'), field('Version'), field('Architecture')]).toEqual(['svc-agent', '0.1.0', 'amd64']);
    expect(Number(field('Installed-Size'))).toBeLessThan(160_000);
    const { name, version, os, arch } = readRpm(readFileSync(rpm));
    expect({ name, version, os, arch }).toEqual({ name: 'svc-agent', version: '0.1.0', os: 'linux', arch: 'x86_64' });
  });

  it('hold the same files, all of them root’s, none writable by others, nothing outside of the system’s places', () => {
    const listed = execFileSync('dpkg-deb', ['-c', deb], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => /^(\S{10}) (\S+) +\d+ \S+ \S+ \.(\S+)$/.exec(line)?.slice(1) as [string, string, string]);
    expect(listed.filter(([, owner]) => owner !== 'root/root')).toEqual([]);
    expect(listed.filter(([mode]) => mode[5] === 'w' || mode[8] === 'w' || /[sS]/.test(mode))).toEqual([]);
    const paths = listed.map(([, , path]) => path);
    const places = [
      '/usr/lib/svc-agent/',
      '/usr/bin/',
      '/usr/lib/systemd/',
      '/usr/lib/sysusers.d/',
      '/usr/share/doc/',
      '/etc/svc-agent/',
    ];
    const files = paths.filter((path) => !path.endsWith('/'));
    expect(files.filter((path) => !places.some((place) => path.startsWith(place)))).toEqual([]);
    for (const path of [
      '/usr/lib/svc-agent/svc-agent.mjs',
      '/usr/lib/svc-agent/chore.mjs',
      '/usr/lib/svc-agent/bin/node',
      '/usr/lib/svc-agent/node_modules/@koromix/koffi-linux-x64/linux_x64/koffi.node',
      '/usr/lib/systemd/system/svc-agent.service',
      '/usr/lib/systemd/user/svc-agent.service',
      '/usr/share/doc/svc-agent/copyright',
      '/usr/share/doc/svc-agent/seat.conf',
    ])
      expect(files).toContain(path);
    expect(files.filter((path) => /\.(cc|hh|map|ts)$|\/vendor\/|musl/.test(path))).toEqual([]);
    const rpmFiles = readRpm(readFileSync(rpm)).files.filter(({ mode }) => (mode & 0o170000) === 0o100000);
    expect(rpmFiles.map(({ path }) => path).sort()).toEqual(files.sort());
    expect(rpmFiles.filter(({ mode }) => (mode & 0o022) !== 0)).toEqual([]);
  });

  it('keep what an administrator wrote over an upgrade', () => {
    const control = execFileSync('dpkg-deb', ['--ctrl-tarfile', deb], { maxBuffer: 1 << 20 });
    const conffiles = execFileSync('tar', ['-xOf', '-', './conffiles'], { input: control, encoding: 'utf8' });
    expect(conffiles.trim()).toBe('/etc/svc-agent/agent.env');
  });
});

const noGpg = reason ?? (spawnSync('gpg', ['--version']).status === 0 ? undefined : 'gpg is missing');
if (!reason && noGpg) process.stderr.write(`SKIPPED: signing deb and rpm: ${noGpg}\n`);
describe.skipIf(noGpg)('a release of them', () => {
  it('is refused without a key, and signed with one', async () => {
    const common = {
      arch: 'x64',
      version: '0.1.0',
      out: join(out, 'signed'),
      sourceDate: 1_700_000_000,
      isSmall: false,
    } as const;
    const release = { SVC_RELEASE_BUILD: '1' };
    await expect(packageHeadless({ ...common, env: release })).rejects.toThrow('SVC_LINUX_SIGNING_KEY_FILE');
    const home = mkdtempSync(join(out, 'gpg-'));
    const gpg = (args: readonly string[], input: string | Buffer = ''): string =>
      execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', '--passphrase', '', ...args], { input, encoding: 'utf8' });
    gpg(['--quick-gen-key', 'Releases <releases@network-observability.example>', 'rsa3072', 'sign', 'never']);
    const keyFile = join(home, 'key.asc');
    writeFileSync(keyFile, gpg(['--armor', '--export-secret-keys']));
    const built = await packageHeadless({ ...common, env: { ...release, SVC_LINUX_SIGNING_KEY_FILE: keyFile } });
    const signed = built.find((path) => path.endsWith('.deb')) ?? '';
    const member = (...names: string[]): Buffer => execFileSync('ar', ['p', signed, ...names], { maxBuffer: 1 << 28 });
    const names = execFileSync('ar', ['t', signed], { encoding: 'utf8' }).trim().split('\n');
    expect(names.at(-1)).toBe('_gpgorigin');
    writeFileSync(join(home, 'deb.sig'), member('_gpgorigin'));
    gpg(['--verify', join(home, 'deb.sig'), '-'], member(...names.slice(0, 3)));
    expect(() => gpg(['--verify', join(home, 'deb.sig'), '-'], member(...names.slice(0, 2)))).toThrow();
    const size = (path: string): number => readFileSync(path).length;
    expect(size(built.find((path) => path.endsWith('.rpm')) ?? '')).toBeGreaterThan(size(rpm));
    spawnSync('gpgconf', ['--homedir', home, '--kill', 'all']);
  }, 120_000);
});

describe.skipIf(noRoot)('the deb on a machine that is managed', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  });
  afterAll(() => plane.close());

  it('installs, enrols by the managed token, measures as a user without privileges, stops, and goes without a trace', async () => {
    const managed = join(out, 'managed.json');
    writeFileSync(
      managed,
      JSON.stringify({ server: plane.url, enrolToken: plane.token, site: 'Lyon', collectDeviceName: false }),
    );
    const script = join(import.meta.dirname, 'install-deb.sh');
    const child = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', script, deb, managed]);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part));
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      await vi.waitFor(() => expect(plane.received.length, said).toBeGreaterThan(2), { timeout: 90_000, interval: 200 });
    } finally {
      child.stdin.end('\n');
      await ended;
    }
    expect(plane.enrolments).toHaveLength(1);
    expect(plane.enrolments[0]).toMatchObject({ site: 'Lyon', os: 'linux' });
    expect(plane.enrolments[0]).not.toHaveProperty('device_name');
    for (const line of [
      'MANAGED root:svc-agent 640',
      'VERIFIED',
      'HARDENED',
      'RUNNING /usr/bin/svc-agent run',
      'STOPPED 0',
      'STATE svc-agent 700',
      'TOKENS 0',
      'REMOVED 0 kept 2',
      'PURGED 0',
    ])
      expect(said.split('\n')).toContain(line);
    expect(said).toContain('Enrolled as');
    expect(said).not.toContain('svc_enr_');
  }, 180_000);
});
