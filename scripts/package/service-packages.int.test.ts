import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageServiceMsi } from './service-msi.ts';
import { stagePkg } from './service-pkg.ts';

const isThere = (command: string): boolean => spawnSync(command, ['--version']).error === undefined;
const noMsi = isThere('wixl') && isThere('msibuild') ? undefined : 'wixl or msitools is missing';
if (noMsi) process.stderr.write(`SKIPPED: the msi of the service: ${noMsi}\n`);

let out: string;
beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'svc-service-packages-'));
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

describe.skipIf(noMsi)('the msi of the machine’s service', () => {
  let msi: string;
  beforeAll(async () => {
    msi = await packageServiceMsi({ arch: 'x64', version: '0.1.0', out, env: {} });
  }, 240_000);
  /** Rows of one table, each a list of its cells. */
  const rows = (table: string): string[][] =>
    execFileSync('msiinfo', ['export', msi, table], { encoding: 'utf8' })
      .split(/\r?\n/)
      .slice(3)
      .filter((line) => line !== '')
      .map((line) => line.split('\t'));

  it('installs the service as LOCAL SERVICE, for whoever sits at the machine, in the 64-bit programs', () => {
    const [service] = rows('ServiceInstall');
    expect(service).toEqual(expect.arrayContaining(['svc-agent', '16', '2', 'NT AUTHORITY\\LocalService']));
    expect(service).toContain('--no-deprecation "[INSTALLDIR]svc-agent.mjs" run --service --seat');
    expect(rows('Directory')).toContainEqual(['INSTALLDIR', 'ProgramFiles64Folder', expect.stringContaining('svc-agent')]);
    const summary = execFileSync('msiinfo', ['suminfo', msi], { encoding: 'utf8' });
    expect(summary).toMatch(/Template: x64;1033/);
    // 256: a 64-bit component.
    expect(rows('Component').filter(([, , , attributes]) => (Number(attributes) & 256) === 0)).toEqual([]);
  });

  it('starts it without waiting, stops it first of all, and takes it away', () => {
    expect(rows('ServiceControl').map(([id, name, event, , wait]) => [id, name, event, wait])).toEqual(
      expect.arrayContaining([
        ['ServiceStart', 'svc-agent', '1', '0'],
        ['ServiceStop', 'svc-agent', '162', '1'],
      ]),
    );
    const order = new Map(rows('InstallExecuteSequence').map(([action, , at]) => [action, Number(at)]));
    const at = (action: string): number => order.get(action) ?? Number.NaN;
    expect(at('StopServices')).toBeLessThan(at('RemoveFiles'));
    expect(at('InstallServices')).toBeLessThan(at('MsiConfigureServices'));
    expect(at('MsiConfigureServices')).toBeLessThan(at('StartServices'));
  });

  it('starts it late, again a minute after each failure, and lets nobody else write in the seat’s folder', () => {
    expect(rows('MsiServiceConfig').map(([, name, event, type, argument]) => [name, event, type, argument])).toEqual([
      ['svc-agent', '5', '3', '1'],
      ['svc-agent', '5', '5', '1'],
    ]);
    expect(rows('MsiServiceConfigFailureActions')[0]).toEqual(
      expect.arrayContaining(['svc-agent', '86400', '1[~]1[~]1', '60000[~]60000[~]60000', 'Service']),
    );
    const [rights] = rows('MsiLockPermissionsEx');
    expect(rights?.slice(1, 3)).toEqual(['SEATDIR', 'CreateFolder']);
    expect(rights?.[3]).toMatch(/^D:P\(/);
    const may = [...(rights?.[3] ?? '').matchAll(/\(A;OICI;(\w+);;;(\w+)\)/g)].map(([, right, who]) => [who, right]);
    expect(may).toEqual([
      ['SY', 'FA'],
      ['BA', 'FA'],
      ['LS', '0x1301bf'],
      ['BU', '0x1200a9'],
    ]);
    expect(rows('CreateFolder')).toEqual([['SEATDIR', 'Seat']]);
  });

  it('holds every file that the service needs, as it was staged', () => {
    const unpacked = join(out, 'unpacked');
    execFileSync('msiextract', ['-C', unpacked, msi], { stdio: 'pipe' });
    const [folder = ''] = filesOf(unpacked).filter((path) => path.endsWith('svc-agent.mjs'));
    const there = join(unpacked, folder, '..');
    const staged = join(out, 'service-msi-x64', 'agent');
    expect(filesOf(there).sort()).toEqual(filesOf(staged).sort());
    for (const file of [
      'svc-agent.mjs',
      'chore.mjs',
      'node_modules/@koromix/koffi-win32-x64/win32_x64/koffi.node',
      'bin/node.exe',
    ])
      expect(readFileSync(join(there, file)).equals(readFileSync(join(staged, file))), file).toBe(true);
  }, 60_000);
});

/** Nobody but root may write there or above it. */
const AGENT = 'Library/Application Support/svc-agent';

describe('the pkg of the machine’s service', () => {
  it('holds the daemon of a seat with a Node of its own, and scripts that a shell reads', async () => {
    const folder = join(out, 'pkg');
    await stagePkg(folder, { arch: 'x64' });
    const files = filesOf(join(folder, 'root'));
    for (const file of ['svc-agent.mjs', 'chore.mjs', 'bin/node', 'node_modules/@koromix/koffi-darwin-x64/darwin_x64/koffi.node'])
      expect(files).toContain(join(AGENT, file));
    expect(statSync(join(folder, 'root', AGENT, 'bin/node')).mode & 0o777).toBe(0o755);
    const plist = readFileSync(join(folder, 'root/Library/LaunchDaemons/org.network-observability.agent.daemon.plist'), 'utf8');
    const [, list = ''] = /<key>ProgramArguments<\/key>\s*<array>([\s\S]*?)<\/array>/.exec(plist) ?? [];
    const args = [...list.matchAll(/<string>([^<]*)</g)].map(([, text]) => text);
    expect(args).toEqual([`/${AGENT}/bin/node`, '--no-deprecation', `/${AGENT}/svc-agent.mjs`, 'run', '--seat']);
    for (const path of args.filter((arg) => arg?.startsWith('/')))
      expect(existsSync(join(folder, 'root', path ?? ''))).toBe(true);
    for (const script of ['scripts/preinstall', 'scripts/postinstall', `root/${AGENT}/command/svc-agent`]) {
      expect(statSync(join(folder, script)).mode & 0o777, script).toBe(0o755);
      expect(spawnSync('sh', ['-n', join(folder, script)]).status, script).toBe(0);
    }
    expect(files.filter((file) => file.startsWith('usr/'))).toEqual([]);
    expect(readFileSync(join(folder, 'root/private/etc/paths.d/svc-agent'), 'utf8')).toBe(`/${AGENT}/command\n`);
    const post = readFileSync(join(folder, 'scripts/postinstall'), 'utf8');
    // The daemon's own user and folders, as the plist and the agent name them.
    expect(plist).toContain('<string>_svcagent</string>');
    expect(post).toContain('user=_svcagent');
    for (const path of ['0700 -o "$user" -g "$user" /var/db/svc-agent\n', '0755 -o "$user" -g "$user" /var/db/svc-agent-seat\n'])
      expect(post).toContain(path);
  }, 120_000);
});
