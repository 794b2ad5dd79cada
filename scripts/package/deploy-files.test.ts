import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MANAGED_KEY, MANAGED_PREFERENCES, parseManaged } from '../../desktop-agent/src/managed.ts';
import { root } from '../env.js';
import { describeBuild } from './builder-config.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const token = `svc_enr_${'a'.repeat(32)}`;
const docs = read('docs/devices/deploy-agents.md');

/** Keys and values of the innermost dictionary of a property list that holds a key; texts and lists of texts alone. */
function settingsOf(plist: string, key: string): Record<string, unknown> {
  const dict = plist.split('<dict>').find((part) => part.includes(`<key>${key}</key>`)) ?? '';
  const pairs = [...dict.matchAll(/<key>([^<]+)<\/key>\s*(?:<(string|integer)>([^<]*)<\/|<array>([\s\S]*?)<\/array>)/g)];
  return Object.fromEntries(
    pairs.map(([, name, , text, list]) => [name, text ?? [...(list ?? '').matchAll(/<string>([^<]*)/g)].map((item) => item[1])]),
  );
}

describe('the examples of a managed configuration', () => {
  it('are read by the agent as they stand, but for the token', () => {
    const json = JSON.parse(read('deploy/linux/managed.example.json'));
    expect(parseManaged({ ...json, enrolToken: token }, 'example').faults).toEqual([]);
    const profile = settingsOf(read('deploy/macos/managed.mobileconfig'), 'enrolToken');
    expect(parseManaged({ ...profile, enrolToken: token }, 'example')).toMatchObject({
      managed: { updates: 'tell', settings: { SVC_AGENT_SITE: 'Lyon', SVC_ENDPOINT_SESSION_TARGETS: 'https://crm.example/' } },
    });
  });

  it('lie where the agent looks, and the page says so', () => {
    expect(read('deploy/macos/managed.mobileconfig')).toContain('<string>org.network-observability.agent</string>');
    expect(MANAGED_PREFERENCES).toContain('/org.network-observability.agent.plist');
    for (const place of [MANAGED_KEY.replace('HKLM', 'HKLM:'), MANAGED_PREFERENCES, '/etc/svc-agent/managed.json'])
      expect(docs).toContain(place);
  });
});

describe('what starts the agent', () => {
  it('names the programs that the packages install', () => {
    const { productName } = describeBuild({
      stage: '',
      service: '',
      out: '',
      electronVersion: '45.0.0',
      electronDist: undefined,
      isRelease: true,
    });
    expect(read('deploy/macos/org.network-observability.agent.plist')).toContain(
      `/Applications/${productName}.app/Contents/MacOS/${productName}`,
    );
    expect(read('deploy/linux/svc-agent.service')).toContain('ExecStart=/usr/bin/svc-agent run');
    expect(read('deploy/linux/seat.conf')).toMatch(/^ExecStart=\nExecStart=\/usr\/bin\/svc-agent run --seat$/m);
    expect(read('deploy/linux/seat.conf')).toMatch(/^PrivateUsers=no$/m);
    for (const file of [
      'deploy/windows/svc-agent-task.xml',
      'deploy/windows/svc-agent-service.cmd',
      'deploy/macos/org.network-observability.agent.daemon.plist',
    ])
      expect(read(file)).toMatch(/svc-agent[/\\]svc-agent\.mjs/);
  });

  it('makes a Windows service of the service of a seat by one verb, in a folder that others cannot write in', () => {
    const file = read('deploy/windows/svc-agent-service.cmd');
    expect(file.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    const verbs = [...file.matchAll(/^if \/i "%1"=="(\w+)" goto (\w+)\r$/gm)].map(([, verb, label]) => [verb, label]);
    expect(verbs).toEqual(['install', 'seat', 'remove'].map((verb) => [verb, verb]));
    expect(file).toContain(`echo svc-agent-service.cmd ${verbs.map(([verb]) => verb).join('^|')}\r\n`);
    const linesOf = (label: string) =>
      file
        .split(`\r\n:${label}\r\n`)[1]
        ?.split(/\r\n\r\n/)[0]
        ?.split('\r\n') ?? [];
    const programOf = (label: string) =>
      linesOf(label).flatMap((line) => /^sc\.exe (?:create|config) svc-agent binPath= "((?:\\"|[^"])+)"/.exec(line)?.[1] ?? []);
    expect(programOf('install')).toHaveLength(1);
    expect(programOf('seat')).toEqual([`${programOf('install')[0]} --seat`]);
    const folder = 'C:\\Program Files\\svc-agent\\seat';
    expect(docs).toContain(`\`${folder}\``);
    const steps = linesOf('seat').filter((line) => !/^(rem|for| |\))/.test(line));
    expect(steps.map((line) => line.split(' ')[0])).toEqual(['if', 'icacls', 'sc.exe', 'sc.exe', ':start', 'sc.exe', 'exit']);
    expect(steps[0]).toContain(`mkdir "${folder}" || exit /b 1`);
    expect(steps[1]).toBe(`icacls "${folder}" /grant *S-1-5-19:(OI)(CI)M || exit /b 1`);
    expect(steps.slice(3, 6)).toEqual(['sc.exe stop svc-agent', ':start', 'sc.exe start svc-agent']);
  });

  it('forces signing and notarisation on a release alone, and never rebuilds native code', () => {
    const build = (isRelease: boolean) =>
      describeBuild({ stage: '', service: '', out: '', electronVersion: '45.4.1', electronDist: undefined, isRelease });
    expect(build(true)).toMatchObject({
      forceCodeSigning: true,
      npmRebuild: false,
      mac: { notarize: true, hardenedRuntime: true },
    });
    expect(build(false)).toMatchObject({ forceCodeSigning: false, mac: { notarize: false } });
    expect(build(true).mac.target).toEqual(['dmg', 'zip', 'pkg']);
    expect(build(true).win.target).toEqual(['nsis', 'msi']);
    expect(build(true).linux.target).toEqual(['AppImage', 'deb', 'rpm']);
    expect(build(true).electronFuses).toMatchObject({ grantFileProtocolExtraPrivileges: false, runAsNode: false });
  });
});
